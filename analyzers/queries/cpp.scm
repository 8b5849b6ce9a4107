; C++. A member that is defined outside of its class stands under it.

(function_definition
  declarator: [
    (function_declarator declarator: [(identifier) (field_identifier) (operator_name) (destructor_name)] @name parameters: (_) @parameters)
    (function_declarator
      declarator: (qualified_identifier scope: (_) @owner name: [(identifier) (operator_name) (destructor_name)] @name) parameters: (_) @parameters)
    (function_declarator
      declarator: (qualified_identifier
        scope: (_) @owner name: (qualified_identifier scope: (_) @owner name: [(identifier) (operator_name) (destructor_name)] @name))
      parameters: (_) @parameters)
    (_ (function_declarator declarator: [(identifier) (field_identifier) (operator_name)] @name parameters: (_) @parameters))
    (_ (function_declarator
      declarator: (qualified_identifier scope: (_) @owner name: [(identifier) (operator_name)] @name) parameters: (_) @parameters))]
  body: (_)? @body) @definition.function
(declaration
  declarator: [
    (function_declarator declarator: (identifier) @name @prototype parameters: (_) @parameters)
    (_ (function_declarator declarator: (identifier) @name @prototype parameters: (_) @parameters))]) @definition.function
(field_declaration
  declarator: [
    (function_declarator declarator: (field_identifier) @name @prototype parameters: (_) @parameters)
    (_ (function_declarator declarator: (field_identifier) @name @prototype parameters: (_) @parameters))]) @definition.method

(class_specifier name: (type_identifier) @name body: (_)) @definition.class
(struct_specifier name: (type_identifier) @name body: (_)) @definition.class
(union_specifier name: (type_identifier) @name body: (_)) @definition.class
(enum_specifier name: (type_identifier) @name body: (_)) @definition.enum
(enumerator name: (identifier) @name) @definition.constant
(namespace_definition name: (namespace_identifier) @name) @definition.namespace
(namespace_definition name: (nested_namespace_specifier) @owner) @scope.namespace
(type_definition declarator: (type_identifier) @name) @definition.type
(alias_declaration name: (type_identifier) @name) @definition.type
(field_declaration declarator: (field_identifier) @name) @definition.property
(field_declaration declarator: (_ declarator: (field_identifier) @name)) @definition.property
(preproc_def name: (identifier) @name) @definition.constant
(preproc_function_def name: (identifier) @name parameters: (_) @parameters @complete value: (_)? @body) @definition.function

(call_expression function: (identifier) @name) @call
(call_expression function: (field_expression argument: (_) @receiver field: (field_identifier) @name)) @call
(call_expression function: (qualified_identifier scope: (_) @receiver name: (identifier) @name)) @call
(call_expression function: (template_function name: (identifier) @name)) @call
(new_expression type: (type_identifier) @name) @call.new

(preproc_include path: (_) @module) @import
[(identifier) (type_identifier) (field_identifier) (namespace_identifier)] @mention
