(function_declaration name: (_) @name body: (_) @body) @definition.function
(generator_function_declaration name: (_) @name body: (_) @body) @definition.function
(class_declaration name: (_) @name body: (_) @body) @definition.class
(method_definition name: [(property_identifier) (private_property_identifier)] @name body: (_) @body) @definition.method
(variable_declarator name: (identifier) @name value: [(arrow_function body: (_) @body) (function_expression body: (_) @body) (generator_function body: (_) @body)]) @definition.function
(variable_declarator name: (identifier) @name value: (class body: (_) @body)) @definition.class
(assignment_expression left: (member_expression object: (this) @self property: (property_identifier) @name)) @definition.field
(assignment_expression left: (member_expression object: (this) @self property: (property_identifier) @name) right: (new_expression constructor: (_) @result)) @definition.field
(assignment_expression left: (member_expression property: (property_identifier) @name) right: [(arrow_function body: (_) @body) (function_expression body: (_) @body)]) @definition.function

[(arrow_function) (function_expression) (generator_function)] @scope.function
[(statement_block) (for_statement) (for_in_statement) (catch_clause) (switch_body)] @scope.block

(variable_declarator name: (_) @local)
(variable_declarator name: (identifier) @local value: (new_expression constructor: (_) @local.type))
(variable_declarator name: (identifier) @local value: (call_expression function: (_) @local.type))
(variable_declarator name: (identifier) @local value: (await_expression (call_expression function: (_) @local.type)))
(arrow_function parameter: (identifier) @local)
(for_in_statement left: (_) @local)
(catch_clause parameter: (_) @local)

(import_statement) @import
(export_statement source: (string)) @import
(variable_declarator value: (call_expression function: (identifier) @require)) @import
(variable_declarator value: (member_expression object: (call_expression function: (identifier) @require))) @import

(call_expression function: (identifier) @reference.call)
(call_expression function: (member_expression object: (_) @receiver property: (_) @reference.call))
(new_expression constructor: (identifier) @reference.call)
(new_expression constructor: (member_expression object: (_) @receiver property: (_) @reference.call))
(member_expression object: (_) @receiver property: (_) @reference.read)
[(identifier) (shorthand_property_identifier)] @reference.read
(export_statement "default" value: (identifier) @default.value) @default
(export_statement "default" declaration: (_ name: (_) @default.value)) @default
(export_statement !source (export_clause (export_specifier) @exported))
(assignment_expression left: (identifier) @reference.write)
(augmented_assignment_expression left: (identifier) @reference.update)
(expression_statement (update_expression argument: (identifier) @reference.update))
(for_statement increment: (update_expression argument: (identifier) @reference.update))
