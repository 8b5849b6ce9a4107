; C. Prototypes are declarations: functions without a body.

(function_definition
  declarator: [
    (function_declarator declarator: (identifier) @name parameters: (_) @parameters)
    (pointer_declarator declarator: (function_declarator declarator: (identifier) @name parameters: (_) @parameters))
    (pointer_declarator declarator: (pointer_declarator declarator: (function_declarator declarator: (identifier) @name parameters: (_) @parameters)))]
  body: (_) @body) @definition.function
(declaration
  declarator: [
    (function_declarator declarator: (identifier) @name @prototype parameters: (_) @parameters)
    (pointer_declarator declarator: (function_declarator declarator: (identifier) @name @prototype parameters: (_) @parameters))]) @definition.function

(struct_specifier name: (type_identifier) @name body: (_)) @definition.class
(union_specifier name: (type_identifier) @name body: (_)) @definition.class
(enum_specifier name: (type_identifier) @name body: (_)) @definition.enum
(enumerator name: (identifier) @name) @definition.constant
(type_definition declarator: (type_identifier) @name) @definition.type
(field_declaration declarator: (field_identifier) @name) @definition.property
(field_declaration declarator: (_ declarator: (field_identifier) @name)) @definition.property
(preproc_def name: (identifier) @name) @definition.constant
(preproc_function_def name: (identifier) @name parameters: (_) @parameters @complete value: (_)? @body) @definition.function

(call_expression function: (identifier) @name) @call
(call_expression function: (field_expression argument: (_) @receiver field: (field_identifier) @name)) @call

(preproc_include path: (_) @module) @import
[(identifier) (type_identifier) (field_identifier)] @mention
