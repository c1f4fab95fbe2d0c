(package_declaration [(scoped_identifier) (identifier)] @package)
(class_declaration name: (identifier) @name body: (_) @body) @definition.class
(record_declaration name: (identifier) @name body: (_) @body) @definition.class
(record_declaration name: (identifier) @name parameters: (formal_parameters (formal_parameter type: (_) name: (identifier) @component)))
(enum_declaration name: (identifier) @name body: (_) @body) @definition.class
(interface_declaration name: (identifier) @name body: (_) @body) @definition.interface
(annotation_type_declaration name: (identifier) @name body: (_) @body) @definition.interface
(annotation_type_element_declaration name: (identifier) @name) @definition.method
(method_declaration type: (_) @result name: (identifier) @name body: (_)? @body) @definition.method
(constructor_declaration name: (identifier) @name body: (_) @body) @definition.constructor
(field_declaration type: (_) @result declarator: (variable_declarator name: (identifier) @name)) @definition.field
(constant_declaration type: (_) @result declarator: (variable_declarator name: (identifier) @name)) @definition.field
(enum_constant name: (identifier) @name) @definition.variant

(lambda_expression) @scope.function
[(block) (for_statement) (enhanced_for_statement) (catch_clause) (try_with_resources_statement) (switch_block) (constructor_body)] @scope.block

(formal_parameter type: (_) @local.type name: (identifier) @local)
(spread_parameter (variable_declarator name: (identifier) @local))
(catch_formal_parameter name: (identifier) @local)
(lambda_expression parameters: (identifier) @local)
(inferred_parameters (identifier) @local)
(local_variable_declaration type: (_) @local.type declarator: (variable_declarator name: (identifier) @local))
(local_variable_declaration declarator: (variable_declarator name: (identifier) @local value: (object_creation_expression type: (_) @local.type)))
(enhanced_for_statement type: (_) @local.type name: (identifier) @local)
(resource type: (_) @local.type name: (identifier) @local)
(instanceof_expression right: (_) @local.type name: (identifier) @local)
(type_pattern (_) @local.type (identifier) @local)
(type_parameter (type_identifier) @local)

(import_declaration) @import

(method_invocation !object name: (identifier) @reference.call)
(method_invocation object: (_) @receiver name: (identifier) @reference.call)
(method_reference . (_) @receiver (identifier) @reference.call .)
(object_creation_expression type: (type_identifier) @reference.call)
(field_access object: (_) @receiver field: (identifier) @reference.read)
(annotation name: (identifier) @reference.type)
(marker_annotation name: (identifier) @reference.type)
(scoped_type_identifier (_) @receiver (type_identifier) @reference.type .)
(element_value_pair key: (identifier) @ignore)
(labeled_statement (identifier) @ignore)
(break_statement (identifier) @ignore)
(continue_statement (identifier) @ignore)
(type_identifier) @reference.type
(identifier) @reference.read
(assignment_expression left: (identifier) @reference.write "=")
(assignment_expression left: (identifier) @reference.update ["+=" "-=" "*=" "/=" "%=" "&=" "|=" "^=" "<<=" ">>=" ">>>="])
(expression_statement (update_expression (identifier) @reference.update))
(for_statement update: (update_expression (identifier) @reference.update))
