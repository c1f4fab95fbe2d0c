(method name: (_) @name body: (_)? @body) @definition.method
(singleton_method name: (_) @name body: (_)? @body) @definition.method
(alias name: (identifier) @name) @definition.method
(class name: [(constant) (scope_resolution)] @name body: (_)? @body) @definition.class
(module name: [(constant) (scope_resolution)] @name body: (_)? @body) @definition.module
(assignment left: (constant) @name) @definition.constant
(call !receiver method: (identifier) @accessor arguments: (argument_list (simple_symbol) @name)) @definition.attribute

[(block) (do_block) (lambda)] @scope.block

(method_parameters (identifier) @local)
(lambda_parameters (identifier) @local)
(block_parameters (identifier) @local)
(destructured_parameter (identifier) @local)
(splat_parameter (identifier) @local)
(hash_splat_parameter (identifier) @local)
(block_parameter (identifier) @local)
(keyword_parameter name: (identifier) @local)
(optional_parameter name: (identifier) @local)
(assignment left: (identifier) @local)
(assignment left: (identifier) @local right: (call receiver: (_) @local.type method: (identifier) @new))
(operator_assignment left: (identifier) @local)
(left_assignment_list (identifier) @local)
(exception_variable (identifier) @local)
(for pattern: (identifier) @local)

(call !receiver method: (identifier) @require arguments: (argument_list (string))) @import

(call !receiver method: (identifier) @reference.call)
(call receiver: (_) @receiver method: [(identifier) (constant)] @reference.call)
(scope_resolution scope: (_) @receiver name: (constant) @reference.type)
(constant) @reference.type
(identifier) @reference.call
(operator_assignment left: (identifier) @reference.update)
