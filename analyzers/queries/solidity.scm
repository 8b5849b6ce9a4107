; Solidity

(contract_declaration name: (identifier) @name) @definition.class
(library_declaration name: (identifier) @name) @definition.class
(interface_declaration name: (identifier) @name) @definition.interface
(struct_declaration name: (identifier) @name) @definition.type
(enum_declaration name: (identifier) @name) @definition.enum
(event_definition name: (identifier) @name) @definition.type
(error_declaration name: (identifier) @name) @definition.type
(function_definition name: (identifier) @name (parameter)* @parameters body: (_)? @body) @definition.function
(modifier_definition name: (identifier) @name body: (_)? @body) @definition.function
(state_variable_declaration name: (identifier) @name) @definition.property
(constant_variable_declaration name: (identifier) @name) @definition.constant

(call_expression function: (expression (identifier) @name)) @call
(call_expression function: (expression (member_expression object: (_) @receiver property: (identifier) @name))) @call
(call_expression function: (expression (new_expression name: (type_name (user_defined_type (identifier) @name))))) @call.new
(modifier_invocation (identifier) @name) @call
(emit_statement name: (expression (identifier) @name)) @call.new
(revert_statement error: (expression (identifier) @name)) @call.new

(import_directive source: (string) @module) @import
(identifier) @mention
