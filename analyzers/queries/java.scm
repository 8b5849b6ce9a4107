; Java

(class_declaration name: (identifier) @name) @definition.class
(record_declaration name: (identifier) @name) @definition.class
(interface_declaration name: (identifier) @name) @definition.interface
(annotation_type_declaration name: (identifier) @name) @definition.interface
(enum_declaration name: (identifier) @name) @definition.enum
(enum_constant name: (identifier) @name) @definition.constant
(method_declaration name: (identifier) @name parameters: (_) @parameters body: (_)? @body) @definition.method
(constructor_declaration name: (identifier) @name parameters: (_) @parameters body: (_) @body) @definition.method
(field_declaration declarator: (variable_declarator name: (identifier) @name)) @definition.property

(method_invocation !object name: (identifier) @name) @call
(method_invocation object: (_) @receiver name: (identifier) @name) @call
(object_creation_expression type: [(type_identifier) @name (generic_type (type_identifier) @name)]) @call.new

(import_declaration [(scoped_identifier) (identifier)] @module) @import
[(identifier) (type_identifier)] @mention
