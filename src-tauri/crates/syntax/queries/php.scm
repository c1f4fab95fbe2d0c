(namespace_definition name: (namespace_name) @package)
(function_definition name: (name) @name return_type: (_)? @result body: (_) @body) @definition.function
(method_declaration name: (name) @name return_type: (_)? @result body: (_)? @body) @definition.method
(class_declaration name: (name) @name body: (_) @body) @definition.class
(interface_declaration name: (name) @name body: (_) @body) @definition.interface
(trait_declaration name: (name) @name body: (_) @body) @definition.class
(enum_declaration name: (name) @name body: (_) @body) @definition.class
(enum_case name: (name) @name) @definition.variant
(property_declaration type: (_)? @result (property_element name: (variable_name (name) @name))) @definition.field
(property_promotion_parameter type: (_)? @result name: (variable_name (name) @name)) @definition.field
(const_declaration (const_element . (name) @name)) @definition.constant

[(anonymous_function) (arrow_function)] @scope.function

(simple_parameter type: (_)? @local.type name: (variable_name (name) @local))
(variadic_parameter name: (variable_name (name) @local))
(property_promotion_parameter type: (_)? @local.type name: (variable_name (name) @local))
(assignment_expression left: (variable_name (name) @local))
(assignment_expression left: (variable_name (name) @local) right: (object_creation_expression [(name) (qualified_name)] @local.type))
(assignment_expression left: (list_literal (variable_name (name) @local)))
(foreach_statement . (_) . (variable_name (name) @local))
(foreach_statement . (_) . (by_ref (variable_name (name) @local)))
(foreach_statement . (_) . (list_literal (variable_name (name) @local)))
(foreach_statement . (_) . (pair (variable_name (name) @local)))
(foreach_statement . (_) . (pair (by_ref (variable_name (name) @local))))
(catch_clause name: (variable_name (name) @local))
(static_variable_declaration name: (variable_name (name) @local))

(namespace_use_declaration) @import

(function_call_expression function: (name) @reference.call)
(function_call_expression function: (qualified_name prefix: (_) @receiver (name) @reference.call))
(object_creation_expression (name) @reference.call)
(object_creation_expression (qualified_name prefix: (_) @receiver (name) @reference.call))
(member_call_expression object: (_) @receiver name: (name) @reference.call)
(nullsafe_member_call_expression object: (_) @receiver name: (name) @reference.call)
(scoped_call_expression scope: (_) @receiver name: (name) @reference.call)
(member_access_expression object: (_) @receiver name: (name) @reference.read)
(nullsafe_member_access_expression object: (_) @receiver name: (name) @reference.read)
(scoped_property_access_expression scope: (_) @receiver name: (variable_name (name) @reference.read))
(class_constant_access_expression . (_) @receiver (name) @reference.read .)
(named_type (name) @reference.type)
(named_type (qualified_name prefix: (_) @receiver (name) @reference.type))
(base_clause (name) @reference.type)
(class_interface_clause (name) @reference.type)
(argument name: (name) @ignore)
(variable_name (name) @reference.variable)
(name) @reference.read
(augmented_assignment_expression left: (variable_name (name) @reference.update))
(expression_statement (update_expression argument: (variable_name (name) @reference.update)))
