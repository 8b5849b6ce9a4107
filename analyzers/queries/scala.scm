; Scala

(class_definition name: (identifier) @name) @definition.class
(object_definition name: (identifier) @name) @definition.class
(trait_definition name: (identifier) @name) @definition.interface
(enum_definition name: (identifier) @name) @definition.enum
(type_definition name: (type_identifier) @name) @definition.type
(function_definition name: (identifier) @name parameters: (_)? @parameters body: (_) @body) @definition.function
(function_declaration name: (identifier) @name parameters: (_)? @parameters) @definition.function
(template_body (val_definition pattern: (identifier) @name) @definition.property)
(template_body (var_definition pattern: (identifier) @name) @definition.property)

(call_expression function: (identifier) @name) @call
(call_expression function: (field_expression value: (_) @receiver field: (identifier) @name)) @call
(call_expression function: (generic_function function: (identifier) @name)) @call
(instance_expression (type_identifier) @name) @call.new

(import_declaration (identifier) @module) @import
[(identifier) (type_identifier)] @mention
