(function_definition declarator: (_) @declarator body: (_) @body) @function
(function_declarator declarator: [(identifier) (field_identifier)] @name) @definition.function
(struct_specifier name: (type_identifier) @name body: (_) @body) @definition.class
(union_specifier name: (type_identifier) @name body: (_) @body) @definition.class
(enum_specifier name: (type_identifier) @name body: (_) @body) @definition.class
(enumerator name: (identifier) @name) @definition.variant
(type_definition declarator: (type_identifier) @name) @definition.type
(type_definition declarator: (pointer_declarator declarator: (type_identifier) @name)) @definition.type
(field_declaration type: (_) @result declarator: (field_identifier) @name) @definition.field
(field_declaration type: (_) @result declarator: (pointer_declarator declarator: (field_identifier) @name)) @definition.field
(field_declaration type: (_) @result declarator: (array_declarator declarator: (field_identifier) @name)) @definition.field
(preproc_def name: (identifier) @name) @definition.macro
(preproc_function_def name: (identifier) @name) @definition.macro

[(compound_statement) (for_statement)] @scope.block

(parameter_declaration type: (_) @local.type declarator: (_) @local)
(declaration type: (_) @local.type declarator: [(identifier) (pointer_declarator) (array_declarator)] @local)
(declaration type: (_) @local.type declarator: (init_declarator declarator: (_) @local))

(preproc_include path: (_) @include) @import

(call_expression function: (identifier) @reference.call)
(call_expression function: (field_expression argument: (_) @receiver field: (field_identifier) @reference.call))
(field_expression argument: (_) @receiver field: (field_identifier) @reference.read)
(field_designator (field_identifier) @reference.member)
(type_identifier) @reference.type
(identifier) @reference.read
(statement_identifier) @ignore
(assignment_expression left: (identifier) @reference.write "=")
(expression_statement (update_expression argument: (identifier) @reference.update))
