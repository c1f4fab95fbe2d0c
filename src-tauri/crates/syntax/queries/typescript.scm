(function_signature name: (identifier) @name return_type: (_)? @result) @definition.function
(function_declaration name: (identifier) @name return_type: (type_annotation) @result) @definition.function
(method_definition name: (property_identifier) @name return_type: (type_annotation) @result) @definition.method
(method_signature name: (property_identifier) @name return_type: (_)? @result) @definition.method
(abstract_method_signature name: (property_identifier) @name return_type: (_)? @result) @definition.method
(property_signature name: (property_identifier) @name type: (_)? @result) @definition.field
(public_field_definition name: [(property_identifier) (private_property_identifier)] @name type: (_)? @result) @definition.field
(public_field_definition name: [(property_identifier) (private_property_identifier)] @name value: [(arrow_function body: (_) @body) (function_expression body: (_) @body)]) @definition.method
(public_field_definition name: (property_identifier) @name value: (new_expression constructor: (_) @result)) @definition.field
(abstract_class_declaration name: (type_identifier) @name body: (_) @body) @definition.class
(interface_declaration name: (type_identifier) @name body: (_) @body) @definition.interface
(type_alias_declaration name: (type_identifier) @name) @definition.type
(enum_declaration name: (identifier) @name body: (_) @body) @definition.class
(enum_body name: (property_identifier) @name) @definition.variant
(enum_assignment name: (property_identifier) @name) @definition.variant
(internal_module name: (identifier) @name body: (_) @body) @definition.module
(module name: (identifier) @name body: (_) @body) @definition.module

(variable_declarator name: (identifier) @local type: (type_annotation) @local.type)
(required_parameter pattern: (_) @local type: (_)? @local.type)
(optional_parameter pattern: (_) @local type: (_)? @local.type)
(required_parameter (accessibility_modifier) pattern: (identifier) @name type: (_)? @result) @definition.field
[(type_alias_declaration) (function_type) (conditional_type)] @scope.block
(type_parameter name: (type_identifier) @local)
(mapped_type_clause name: (type_identifier) @local)
(infer_type . (type_identifier) @local)

(type_identifier) @reference.type
(nested_type_identifier module: (_) @receiver name: (type_identifier) @reference.type)
