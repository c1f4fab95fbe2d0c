(function_item name: (identifier) @name return_type: (_)? @result body: (_) @body) @definition.function
(function_signature_item name: (identifier) @name return_type: (_)? @result) @definition.function
(struct_item name: (type_identifier) @name body: (_)? @body) @definition.class
(enum_item name: (type_identifier) @name body: (_) @body) @definition.class
(union_item name: (type_identifier) @name body: (_) @body) @definition.class
(enum_variant name: (identifier) @name) @definition.variant
(field_declaration name: (field_identifier) @name type: (_) @result) @definition.field
(type_item name: (type_identifier) @name type: (_) @result) @definition.type
(associated_type name: (type_identifier) @name) @definition.type
(trait_item name: (type_identifier) @name body: (_) @body) @definition.interface
(mod_item name: (identifier) @name body: (_)? @body) @definition.module
(macro_definition name: (identifier) @name) @definition.macro
(const_item name: (identifier) @name type: (_) @result) @definition.constant
(static_item name: (identifier) @name type: (_) @result) @definition.constant
(impl_item type: (_) @name body: (_) @body) @definition.extension

(closure_expression) @scope.function
[(block) (match_arm) (for_expression) (if_expression) (while_expression)] @scope.block

(parameter pattern: (_) @local type: (_) @local.type)
(closure_parameters [(identifier) (tuple_pattern) (reference_pattern) (struct_pattern) (tuple_struct_pattern) (mut_pattern)] @local)
(closure_parameters (parameter pattern: (_) @local type: (_) @local.type))
(let_declaration pattern: (_) @local type: (_)? @local.type) @local.until
(let_declaration pattern: (identifier) @local value: (call_expression function: (_) @local.type)) @local.until
(let_declaration pattern: (identifier) @local value: (try_expression (call_expression function: (_) @local.type))) @local.until
(let_declaration pattern: (identifier) @local value: (struct_expression name: (_) @local.type)) @local.until
(let_condition pattern: (_) @local)
(for_expression pattern: (_) @local)
(match_arm pattern: (match_pattern . (_) @local))
(type_parameter name: (type_identifier) @local)
(const_parameter name: (identifier) @local)

(use_declaration) @import
(extern_crate_declaration) @import

(call_expression function: (identifier) @reference.call)
(call_expression function: (scoped_identifier path: (_)? @receiver name: (identifier) @reference.call))
(call_expression function: (field_expression value: (_) @receiver field: (field_identifier) @reference.call))
(generic_function function: (identifier) @reference.call)
(generic_function function: (scoped_identifier path: (_) @receiver name: (identifier) @reference.call))
(generic_function function: (field_expression value: (_) @receiver field: (field_identifier) @reference.call))
(macro_invocation macro: (identifier) @reference.macro)
(macro_invocation macro: (scoped_identifier path: (_) @receiver name: (identifier) @reference.macro))
(field_expression value: (_) @receiver field: (field_identifier) @reference.read)
(scoped_identifier path: (_) @receiver name: (identifier) @reference.read)
(scoped_type_identifier path: (_) @receiver name: (type_identifier) @reference.type)
(struct_expression name: (_) @literal body: (field_initializer_list (field_initializer field: (field_identifier) @reference.read)))
(field_identifier) @reference.member
(type_identifier) @reference.type
[(identifier) (shorthand_field_identifier)] @reference.read
(assignment_expression left: (identifier) @reference.write)
(compound_assignment_expr left: (identifier) @reference.update)
