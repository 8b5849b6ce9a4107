; Lua. A function of a table stands under it.

(function_declaration name: (identifier) @name parameters: (_) @parameters @complete body: (_)? @body) @definition.function
(function_declaration
  name: [(dot_index_expression table: (_) @owner field: (identifier) @name) (method_index_expression table: (_) @owner method: (identifier) @name)]
  parameters: (_) @parameters @complete body: (_)? @body) @definition.method
(chunk (variable_declaration (assignment_statement (variable_list (identifier) @name))) @definition.variable)

(function_call name: (identifier) @name) @call
(function_call name: (dot_index_expression table: (_) @receiver field: (identifier) @name)) @call
(function_call name: (method_index_expression table: (_) @receiver method: (identifier) @name)) @call

(function_call name: (identifier) @require arguments: (arguments (string content: (_) @module)) (#eq? @require "require")) @import
(identifier) @mention
