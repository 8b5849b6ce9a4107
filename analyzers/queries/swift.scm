; Swift. What an extension holds stands under the type that it extends.

(class_declaration "extension" name: (user_type (type_identifier) @owner)) @scope.class
(class_declaration "enum" name: (type_identifier) @name) @definition.enum
(class_declaration name: (type_identifier) @name) @definition.class
(protocol_declaration name: (type_identifier) @name) @definition.interface
(typealias_declaration name: (type_identifier) @name) @definition.type
(function_declaration name: (simple_identifier) @name body: (_)? @body) @definition.function
(init_declaration "init" @name body: (_)? @body) @definition.method
(protocol_function_declaration name: (simple_identifier) @name) @definition.function
(enum_entry name: (simple_identifier) @name) @definition.constant
(source_file (property_declaration name: (pattern (simple_identifier) @name)) @definition.variable)
(class_body (property_declaration name: (pattern (simple_identifier) @name)) @definition.property)

(call_expression . (simple_identifier) @name) @call
(call_expression . (navigation_expression target: (_) @receiver suffix: (navigation_suffix suffix: (simple_identifier) @name))) @call

(import_declaration (identifier) @module) @import
[(simple_identifier) (type_identifier)] @mention
