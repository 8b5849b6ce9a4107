; Rust. What an `impl` holds stands under the type that it is for.

(impl_item type: [(type_identifier) @owner (generic_type type: (type_identifier) @owner) (scoped_type_identifier name: (type_identifier) @owner)
  (generic_type type: (scoped_type_identifier name: (type_identifier) @owner))]) @scope.class

(function_item name: (identifier) @name parameters: (_) @parameters body: (_) @body) @definition.function
(function_signature_item name: (identifier) @name parameters: (_) @parameters) @definition.function
(struct_item name: (type_identifier) @name) @definition.class
(union_item name: (type_identifier) @name) @definition.class
(enum_item name: (type_identifier) @name) @definition.enum
(enum_variant name: (identifier) @name) @definition.constant
(trait_item name: (type_identifier) @name) @definition.interface
(type_item name: (type_identifier) @name) @definition.type
(field_declaration name: (field_identifier) @name) @definition.property
(mod_item name: (identifier) @name body: (_)) @definition.namespace
(macro_definition name: (identifier) @name @complete) @definition.function
(const_item name: (identifier) @name) @definition.constant
(static_item name: (identifier) @name) @definition.variable

(call_expression function: (identifier) @name) @call
(call_expression function: (scoped_identifier path: (_) @receiver name: (identifier) @name)) @call
(call_expression function: (field_expression value: (_) @receiver field: (field_identifier) @name)) @call
(call_expression function: (generic_function function: (identifier) @name)) @call
(call_expression function: (generic_function function: (scoped_identifier path: (_) @receiver name: (identifier) @name))) @call
(call_expression function: (generic_function function: (field_expression value: (_) @receiver field: (field_identifier) @name))) @call
(macro_invocation macro: (identifier) @name) @call
(struct_expression name: (type_identifier) @name) @call.new

(use_declaration argument: (_) @module) @import
[(identifier) (type_identifier) (field_identifier)] @mention
