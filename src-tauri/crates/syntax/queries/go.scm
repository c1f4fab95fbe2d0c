(package_clause (package_identifier) @package)
(function_declaration name: (identifier) @name result: (_)? @result body: (_)? @body) @definition.function
(method_declaration receiver: (parameter_list (parameter_declaration type: (_) @owner)) name: (field_identifier) @name result: (_)? @result body: (_)? @body) @definition.method
(type_spec name: (type_identifier) @name type: (struct_type (field_declaration_list) @body)) @definition.class
(type_spec name: (type_identifier) @name type: (interface_type) @body) @definition.interface
(type_spec name: (type_identifier) @name) @definition.type
(type_alias name: (type_identifier) @name) @definition.type
(method_elem name: (field_identifier) @name) @definition.method
(field_declaration name: (field_identifier) @name type: (_) @result) @definition.field
(const_spec name: (identifier) @name) @definition.constant
(source_file (var_declaration (var_spec name: (identifier) @name type: (_)? @result) @definition.variable))
(source_file (var_declaration (var_spec_list (var_spec name: (identifier) @name type: (_)? @result) @definition.variable)))

(func_literal) @scope.function
[(block) (if_statement) (for_statement) (expression_case) (type_case) (communication_case) (expression_switch_statement) (type_switch_statement)] @scope.block

(parameter_declaration name: (identifier) @local type: (_) @local.type)
(variadic_parameter_declaration name: (identifier) @local)
(type_parameter_declaration name: (identifier) @local)
(short_var_declaration left: (expression_list (identifier) @local)) @local.until
(short_var_declaration left: (expression_list . (identifier) @local) right: (expression_list . (call_expression function: (_) @local.type))) @local.until
(short_var_declaration left: (expression_list . (identifier) @local) right: (expression_list . (composite_literal type: (_) @local.type))) @local.until
(short_var_declaration left: (expression_list . (identifier) @local) right: (expression_list . (unary_expression operand: (composite_literal type: (_) @local.type)))) @local.until
(var_spec name: (identifier) @local type: (_)? @local.type) @local.until
(range_clause left: (expression_list (identifier) @local))
(type_switch_statement alias: (expression_list (identifier) @local))
(receive_statement left: (expression_list (identifier) @local))

(import_spec) @import

(call_expression function: (identifier) @reference.call)
(call_expression function: (selector_expression operand: (_) @receiver field: (field_identifier) @reference.call))
(selector_expression operand: (_) @receiver field: (field_identifier) @reference.read)
(qualified_type package: (package_identifier) @receiver name: (type_identifier) @reference.type)
(keyed_element . (literal_element (identifier) @key))
(type_identifier) @reference.type
(package_identifier) @reference.read
(identifier) @reference.read
(label_name) @ignore
(assignment_statement left: (expression_list (identifier) @reference.write) "=")
(assignment_statement left: (expression_list (identifier) @reference.update) ["+=" "-=" "*=" "/=" "%=" "&=" "|=" "^=" "<<=" ">>=" "&^="])
[(inc_statement (identifier) @reference.update) (dec_statement (identifier) @reference.update)]
