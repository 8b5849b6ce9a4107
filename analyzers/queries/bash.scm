; Shell scripts. Every command is a call; most lead to programs that are not here.

(function_definition name: (word) @name body: (_) @body) @definition.function
(program (variable_assignment name: (variable_name) @name) @definition.variable)
(program (declaration_command (variable_assignment name: (variable_name) @name) @definition.variable))

(command name: (command_name (word) @name)) @call

(command name: (command_name (word) @source) argument: (word) @module (#match? @source "^(source|\\.)$")) @import
[(variable_name) (command_name)] @mention
