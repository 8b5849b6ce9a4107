; Ruby. A call without arguments and without a receiver looks like a variable: it is none that is seen.

(class name: (constant) @name) @definition.class
(class name: (scope_resolution scope: (_) @owner name: (constant) @name)) @definition.class
(module name: (constant) @name) @definition.class
(module name: (scope_resolution scope: (_) @owner name: (constant) @name)) @definition.class
(method name: (_) @name @complete parameters: (_)? @parameters body: (_)? @body) @definition.method
(singleton_method name: (_) @name @complete parameters: (_)? @parameters body: (_)? @body) @definition.method
(assignment left: (constant) @name) @definition.constant

(call receiver: (constant) @name method: (identifier) @method (#eq? @method "new")) @call.new
(call receiver: (_) @receiver method: [(identifier) (constant)] @name) @call
(call !receiver method: [(identifier) (constant)] @name) @call

(call !receiver method: (identifier) @require arguments: (argument_list . (string (string_content) @module))
  (#match? @require "^(require|require_relative|load)$")) @import
[(identifier) (constant) (instance_variable) (class_variable) (global_variable)] @mention
