(function_definition name: (identifier) @name return_type: (type)? @result body: (_) @body) @definition.function
(class_definition name: (identifier) @name body: (_) @body) @definition.class

[(lambda) (list_comprehension) (set_comprehension) (dictionary_comprehension) (generator_expression)] @scope.function

(parameters (identifier) @local)
(lambda_parameters (identifier) @local)
(default_parameter name: (identifier) @local)
(typed_parameter . (_) @local type: (type) @local.type)
(typed_default_parameter name: (identifier) @local type: (type) @local.type)
(parameters [(list_splat_pattern) (dictionary_splat_pattern)] @local)
(lambda_parameters [(list_splat_pattern) (dictionary_splat_pattern)] @local)
(assignment left: (identifier) @local type: (type) @local.type)
(assignment left: (identifier) @local right: (call function: (_) @local.type))
(assignment left: (_) @local)
(named_expression name: (identifier) @local)
(for_statement left: (_) @local)
(for_in_clause left: (_) @local)
(with_item value: (as_pattern (call function: (_) @local.type) alias: (as_pattern_target) @local))
(as_pattern alias: (as_pattern_target) @local)
(case_clause (case_pattern) @local)
(assignment left: (attribute object: (identifier) @self attribute: (identifier) @name) type: (type)? @result) @definition.field
(assignment left: (attribute object: (identifier) @self attribute: (identifier) @name) right: (call function: (_) @result)) @definition.field
(global_statement (identifier) @global)
(nonlocal_statement (identifier) @global)

(import_statement) @import
(import_from_statement) @import

(call function: (identifier) @reference.call)
(call function: (attribute object: (_) @receiver attribute: (identifier) @reference.call))
(attribute object: (_) @receiver attribute: (identifier) @reference.read)
(type (identifier) @reference.type)
(generic_type (identifier) @reference.type)
(keyword_argument name: (identifier) @ignore)
(identifier) @reference.read
(augmented_assignment left: (identifier) @reference.update)
(future_import_statement (dotted_name (identifier) @ignore))
