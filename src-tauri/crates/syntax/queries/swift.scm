(class_declaration declaration_kind: ["class" "struct" "enum" "actor"] name: (type_identifier) @name body: (_) @body) @definition.class
(class_declaration declaration_kind: "extension" name: (_) @name body: (_) @body) @definition.extension
(protocol_declaration name: (type_identifier) @name body: (_) @body) @definition.interface
(function_declaration name: (simple_identifier) @name) @definition.function
(function_declaration name: (simple_identifier) @name body: (_) @body) @definition.function
(function_declaration name: (simple_identifier) @name "->" . (_) @result) @definition.function
(protocol_function_declaration name: (simple_identifier) @name) @definition.method
(protocol_property_declaration name: (pattern bound_identifier: (simple_identifier) @name)) @definition.field
(class_body (property_declaration name: (pattern bound_identifier: (simple_identifier) @name)) @definition.field)
(class_body (property_declaration name: (pattern bound_identifier: (simple_identifier) @name) (type_annotation) @result) @definition.field)
(enum_class_body (property_declaration name: (pattern bound_identifier: (simple_identifier) @name)) @definition.field)
(source_file (property_declaration name: (pattern bound_identifier: (simple_identifier) @name)) @definition.variable)
(enum_entry name: (simple_identifier) @name) @definition.variant
(typealias_declaration name: (type_identifier) @name) @definition.type
(associatedtype_declaration name: (type_identifier) @name) @definition.type
(init_declaration name: "init" @name body: (_)? @body) @definition.constructor

[(lambda_literal) (init_declaration)] @scope.function
[(statements) (for_statement) (if_statement) (while_statement) (switch_entry) (catch_block)] @scope.block

(parameter (simple_identifier) @local . ":")
(parameter (simple_identifier) @local . ":" . (_) @local.type)
(lambda_parameter name: (simple_identifier) @local)
(property_declaration name: (pattern) @local (type_annotation)? @local.type)
(property_declaration name: (pattern) @local value: (call_expression . (_) @local.type))
(for_statement item: (pattern) @local)
(if_statement bound_identifier: (simple_identifier) @local)
(type_parameter (type_identifier) @local)

(import_declaration) @import

(call_expression . (simple_identifier) @reference.call)
(call_expression . (navigation_expression target: (_) @receiver suffix: (navigation_suffix suffix: (simple_identifier) @reference.call)))
(navigation_expression target: (_) @receiver suffix: (navigation_suffix suffix: (simple_identifier) @reference.read))
(value_argument_label (simple_identifier) @ignore)
(parameter external_name: (simple_identifier) @ignore)
(type_identifier) @reference.type
(simple_identifier) @reference.read
(assignment target: (directly_assignable_expression (simple_identifier) @reference.write) operator: "=")
