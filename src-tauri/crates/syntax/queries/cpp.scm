(namespace_definition name: (_) @name body: (_) @body) @definition.module
(class_specifier name: (_) @name body: (_) @body) @definition.class
(alias_declaration name: (type_identifier) @name) @definition.type
(function_declarator declarator: (qualified_identifier scope: (_) @owner name: [(identifier) (destructor_name) (operator_name)] @name)) @definition.function
(function_declarator declarator: (qualified_identifier name: (qualified_identifier scope: (_) @owner name: [(identifier) (destructor_name) (operator_name)] @name))) @definition.function
(function_declarator declarator: [(destructor_name) (operator_name)] @name) @definition.function
(field_declaration type: (_) @result declarator: (reference_declarator (field_identifier) @name)) @definition.field

(lambda_expression) @scope.function
[(for_range_loop) (catch_clause)] @scope.block

(optional_parameter_declaration type: (_) @local.type declarator: (_) @local)
(for_range_loop type: (_) @local.type declarator: (_) @local)
(declaration type: (_) @local.type declarator: (reference_declarator) @local)
(type_parameter_declaration (type_identifier) @local)
(lambda_capture_initializer left: (identifier) @local)

(using_declaration) @import

(call_expression function: (qualified_identifier scope: (_) @receiver name: (identifier) @reference.call))
(call_expression function: (template_function name: (identifier) @reference.call))
(qualified_identifier scope: (_) @receiver name: (identifier) @reference.read)
(qualified_identifier scope: (_) @receiver name: (type_identifier) @reference.type)
(new_expression type: (type_identifier) @reference.call)
(field_initializer (field_identifier) @reference.member)
(namespace_identifier) @reference.type
