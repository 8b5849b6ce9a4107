; Kotlin

(class_declaration "interface" (type_identifier) @name) @definition.interface
(class_declaration (type_identifier) @name) @definition.class
(object_declaration (type_identifier) @name) @definition.class
(type_alias (type_identifier) @name) @definition.type
(enum_entry (simple_identifier) @name) @definition.constant
(function_declaration (simple_identifier) @name (function_value_parameters) @parameters (function_body)? @body) @definition.function
(source_file (property_declaration (variable_declaration (simple_identifier) @name)) @definition.variable)
(class_body (property_declaration (variable_declaration (simple_identifier) @name)) @definition.property)
(class_parameter (binding_pattern_kind) (simple_identifier) @name) @definition.property

(call_expression . (simple_identifier) @name) @call
(call_expression . (navigation_expression (_) @receiver (navigation_suffix (simple_identifier) @name))) @call

(import_header (identifier) @module) @import
[(simple_identifier) (type_identifier)] @mention
