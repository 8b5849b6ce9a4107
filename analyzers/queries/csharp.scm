; C#. Namespaces are no definitions.

(class_declaration name: (identifier) @name) @definition.class
(struct_declaration name: (identifier) @name) @definition.class
(record_declaration name: (identifier) @name) @definition.class
(interface_declaration name: (identifier) @name) @definition.interface
(enum_declaration name: (identifier) @name) @definition.enum
(enum_member_declaration name: (identifier) @name) @definition.constant
(delegate_declaration name: (identifier) @name parameters: (_) @parameters) @definition.type
(method_declaration name: (identifier) @name parameters: (_) @parameters body: (_)? @body) @definition.method
(constructor_declaration name: (identifier) @name parameters: (_) @parameters body: (_)? @body) @definition.method
(local_function_statement name: (identifier) @name parameters: (_) @parameters body: (_)? @body) @definition.function
(property_declaration name: (identifier) @name) @definition.property
(field_declaration (variable_declaration (variable_declarator name: (identifier) @name))) @definition.property

(invocation_expression function: (identifier) @name) @call
(invocation_expression function: (member_access_expression expression: (_) @receiver name: (identifier) @name)) @call
(invocation_expression function: (generic_name (identifier) @name)) @call
(invocation_expression function: (member_access_expression expression: (_) @receiver name: (generic_name (identifier) @name))) @call
(object_creation_expression type: [(identifier) @name (generic_name (identifier) @name)]) @call.new

(using_directive [(qualified_name) (identifier)] @module) @import
(identifier) @mention
