; Go. A method stands under its receiver's type.

(function_declaration name: (identifier) @name parameters: (_) @parameters body: (_)? @body) @definition.function
(method_declaration
  receiver: (parameter_list (parameter_declaration type: [
    (type_identifier) @owner
    (pointer_type (type_identifier) @owner)
    (generic_type type: (type_identifier) @owner)
    (pointer_type (generic_type type: (type_identifier) @owner))]))
  name: (field_identifier) @name
  parameters: (_) @parameters
  body: (_)? @body) @definition.method

(type_spec name: (type_identifier) @name type: (struct_type)) @definition.class
(type_spec name: (type_identifier) @name type: (interface_type)) @definition.interface
(type_spec name: (type_identifier) @name) @definition.type
(type_alias name: (type_identifier) @name) @definition.type
(method_elem name: (field_identifier) @name parameters: (_) @parameters) @definition.method
(field_declaration (field_identifier) @name) @definition.property

(source_file (const_declaration (const_spec (identifier) @name) @definition.constant))
(source_file (var_declaration (var_spec (identifier) @name) @definition.variable))
(source_file (var_declaration (var_spec_list (var_spec (identifier) @name) @definition.variable)))

(call_expression function: (identifier) @name) @call
(call_expression function: (selector_expression operand: (_) @receiver field: (field_identifier) @name)) @call
(call_expression function: (type_instantiation_expression type: (type_identifier) @name)) @call
(composite_literal type: (type_identifier) @name) @call.new
(composite_literal type: (qualified_type package: (_) @receiver name: (type_identifier) @name)) @call.new

(import_spec path: (_) @module) @import
[(identifier) (type_identifier) (field_identifier) (package_identifier)] @mention
