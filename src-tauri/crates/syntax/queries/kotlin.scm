(package_header (qualified_identifier) @package)
(class_declaration name: (identifier) @name) @definition.class
(class_declaration name: (identifier) @name (class_body) @body) @definition.class
(class_declaration name: (identifier) @name (enum_class_body) @body) @definition.class
(object_declaration name: (identifier) @name) @definition.class
(object_declaration name: (identifier) @name (class_body) @body) @definition.class
(function_declaration name: (identifier) @name) @definition.function
(function_declaration name: (identifier) @name (function_body) @body) @definition.function
(function_declaration name: (identifier) @name (function_value_parameters) . [(user_type) (nullable_type)] @result) @definition.function
(function_declaration . (modifiers)? . (type_parameters)? . [(user_type) (nullable_type)] @owner name: (identifier) @name (function_value_parameters)) @definition.function
(source_file (property_declaration (variable_declaration (identifier) @name)) @definition.variable)
(class_body (property_declaration (variable_declaration (identifier) @name [(user_type) (nullable_type)]? @result)) @definition.field)
(class_parameter (identifier) @name [(user_type) (nullable_type)] @result) @definition.field
(enum_entry (identifier) @name) @definition.variant
(type_alias type: (identifier) @name) @definition.type

[(lambda_literal) (anonymous_function)] @scope.function
[(block) (for_statement) (catch_block) (when_expression)] @scope.block

(parameter (identifier) @local (_) @local.type)
(property_declaration (variable_declaration (identifier) @local [(user_type) (nullable_type)]? @local.type))
(property_declaration (variable_declaration (identifier) @local) (call_expression . (_) @local.type))
(property_declaration (multi_variable_declaration (variable_declaration (identifier) @local)))
(lambda_parameters (variable_declaration (identifier) @local))
(lambda_parameters (multi_variable_declaration (variable_declaration (identifier) @local)))
(for_statement (variable_declaration (identifier) @local))
(for_statement (multi_variable_declaration (variable_declaration (identifier) @local)))
(catch_block (identifier) @local)
(when_subject (variable_declaration (identifier) @local))
(type_parameter (identifier) @local)

(import) @import

(call_expression . (identifier) @reference.call)
(call_expression . (navigation_expression . (_) @receiver (identifier) @reference.call .))
(navigation_expression . (_) @receiver (identifier) @reference.read .)
(user_type (identifier) @reference.type)
(value_argument (identifier) @ignore . "=")
(identifier) @reference.read
(assignment left: (identifier) @reference.write "=")
