; PHP. Namespaces are no definitions.

(function_definition name: (name) @name parameters: (_) @parameters body: (_) @body) @definition.function
(method_declaration name: (name) @name parameters: (_) @parameters body: (_)? @body) @definition.method
(class_declaration name: (name) @name) @definition.class
(trait_declaration name: (name) @name) @definition.class
(interface_declaration name: (name) @name) @definition.interface
(enum_declaration name: (name) @name) @definition.enum
(enum_case name: (name) @name) @definition.constant
(const_element (name) @name) @definition.constant
(property_element name: (variable_name (name) @name)) @definition.property

(function_call_expression function: (name) @name) @call
(function_call_expression function: (qualified_name (name) @name)) @call
(member_call_expression object: (_) @receiver name: (name) @name) @call
(nullsafe_member_call_expression object: (_) @receiver name: (name) @name) @call
(scoped_call_expression scope: (_) @receiver name: (name) @name) @call
(object_creation_expression (name) @name) @call.new
(object_creation_expression (qualified_name (name) @name)) @call.new

(namespace_use_clause [(qualified_name) (name)] @module) @import
(name) @mention
