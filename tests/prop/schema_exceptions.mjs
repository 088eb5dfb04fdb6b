// schema_exceptions.mjs: where weir and both validators rightly differ, each
// with its reason. `applies` says whether a schema and an instance meet the
// cause; it should be as narrow as the cause allows. `isAlone`: Hyperjump could
// not take the schema, so that Ajv stands alone against weir.
const has = (schema, ...keywords) => keywords.every((keyword) =>
    JSON.stringify(schema).includes(`"${keyword}":`));

export const exceptions = [
    {
        // 2019-09, Core 9.3.1.3: what unevaluatedItems depends on are the
        // annotations of items, additionalItems and itself; contains makes
        // one from 2020-12 on.
        name: "contains evaluates no items in 2019-09",
        applies: (schema, instance, draft) => draft === "2019-09" &&
            has(schema, "contains", "unevaluatedItems"),
    },
    {
        // nor one that another member asks for
        name: "Ajv does not miss a required member whose name is empty",
        applies: (schema, instance, draft, isAlone) => isAlone &&
            /"required":\[[^\]]*""|"depend[^[]*\[[^\]]*""/.test(
                JSON.stringify(schema)),
    },
    {
        // Its tests in optional/dependencies-compatibility.json ask for it.
        name: "weir enforces dependencies in every draft",
        applies: (schema, instance, draft) =>
            ["2019-09", "2020-12"].includes(draft) &&
            has(schema, "dependencies"),
    },
    {
        // so it does where the schema of contains is one that takes all
        name: "Ajv finds in an empty array what contains asks for",
        applies: (schema, instance, draft, isAlone) => isAlone &&
            has(schema, "contains") &&
            JSON.stringify(instance).includes("[]"),
    },
];
