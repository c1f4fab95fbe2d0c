(namespace_declaration name: (_) @package)
(file_scoped_namespace_declaration name: (_) @package)
(class_declaration name: (identifier) @name body: (_)? @body) @definition.class
(struct_declaration name: (identifier) @name body: (_)? @body) @definition.class
(record_declaration name: (identifier) @name body: (_)? @body) @definition.class
(interface_declaration name: (identifier) @name body: (_)? @body) @definition.interface
(enum_declaration name: (identifier) @name body: (_)? @body) @definition.class
(enum_member_declaration name: (identifier) @name) @definition.variant
(delegate_declaration name: (identifier) @name) @definition.type
(method_declaration returns: (_) @result name: (identifier) @name body: (_)? @body) @definition.method
(local_function_statement name: (identifier) @name body: (_) @body) @definition.function
(constructor_declaration name: (identifier) @name body: (_)? @body) @definition.constructor
(property_declaration type: (_) @result name: (identifier) @name) @definition.field
(field_declaration (variable_declaration type: (_) @result (variable_declarator name: (identifier) @name))) @definition.field
(event_field_declaration (variable_declaration (variable_declarator name: (identifier) @name))) @definition.field
(event_declaration name: (identifier) @name) @definition.field

[(lambda_expression) (anonymous_method_expression)] @scope.function
[(block) (for_statement) (foreach_statement) (catch_clause) (using_statement) (switch_section)] @scope.block

(parameter type: (_)? @local.type name: (identifier) @local)
(lambda_expression parameters: (implicit_parameter) @local)
(local_declaration_statement (variable_declaration type: (_) @local.type (variable_declarator name: (identifier) @local)))
(local_declaration_statement (variable_declaration (variable_declarator name: (identifier) @local (object_creation_expression type: (_) @local.type))))
(using_statement (variable_declaration type: (_) @local.type (variable_declarator name: (identifier) @local)))
(for_statement (variable_declaration (variable_declarator name: (identifier) @local)))
(foreach_statement type: (_) @local.type left: (identifier) @local)
(catch_declaration name: (identifier) @local)
(declaration_pattern type: (_) @local.type name: (identifier) @local)
(declaration_expression type: (_) @local.type name: (identifier) @local)
(var_pattern name: (identifier) @local)
(type_parameter name: (identifier) @local)

(using_directive) @import

(invocation_expression function: (identifier) @reference.call)
(invocation_expression function: (generic_name . (identifier) @reference.call))
(invocation_expression function: (member_access_expression expression: _ @receiver name: (identifier) @reference.call))
(invocation_expression function: (member_access_expression expression: _ @receiver name: (generic_name . (identifier) @reference.call)))
(invocation_expression function: (conditional_access_expression condition: _ @receiver (member_binding_expression name: (identifier) @reference.call)))
(member_access_expression expression: _ @receiver name: (identifier) @reference.read)
(object_creation_expression type: (identifier) @reference.call)
(object_creation_expression type: (generic_name . (identifier) @reference.call))
(qualified_name qualifier: (_) @receiver name: (identifier) @reference.type)
(base_list (identifier) @reference.type)
(attribute name: (identifier) @reference.type)
(variable_declaration type: (identifier) @reference.type)
(parameter type: (identifier) @reference.type)
(argument name: (identifier) @ignore)
(member_binding_expression name: (identifier) @reference.member)
(implicit_parameter) @reference.read
(identifier) @reference.read
(assignment_expression left: (identifier) @reference.write "=")
