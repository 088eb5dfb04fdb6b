// schema_exceptions.mjs: where weir and both validators rightly differ, each
// with its reason. `applies` says whether a schema and an instance meet the
// cause; it should be as narrow as the cause allows.
export const exceptions = [];
