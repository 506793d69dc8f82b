"""The marshmallow schemas of requests as JSON schemas: apispec's converter, with unions and references."""

from typing import Any, Final

from apispec.ext.marshmallow import MarshmallowPlugin
from apispec.ext.marshmallow.openapi import OpenAPIConverter
from marshmallow import Schema, fields
from marshmallow_oneofschema.one_of_schema import OneOfSchema

from domain.cards import HAND_CARDS, REIBACH
from service.api.docs.members import TEXTS, meaning_of
from service.api.schemas.fields import ShortListOr
from service.api.schemas.responses import SHAPES
from service.api.schemas.shapes import ref

_REFERENCES: Final = {tuple(shape["enum"]): name for name, shape in SHAPES.items() if "enum" in shape} | {
    (*HAND_CARDS, REIBACH): "Card"  # no hand has a Reibach card: naming one is always refused
}
"""Lists of words that have a schema of their own."""


class RequestSchemas(OpenAPIConverter):
    def schema2jsonschema(self, schema: Any) -> dict[str, Any]:
        described = {"description": (schema.__doc__ or "").strip()}
        if isinstance(schema, OneOfSchema):
            return self._union(schema) | described
        converted: dict[str, Any] = super().schema2jsonschema(schema)  # type: ignore[no-untyped-call]  # apispec's
        return converted | described

    def field2property(self, field: fields.Field[Any]) -> dict[str, Any]:
        schema: dict[str, Any] = super().field2property(field)
        if name := _REFERENCES.get(tuple(schema.get("enum", ()))):
            return ref(name)
        if isinstance(field, ShortListOr):
            return {"anyOf": [schema, self.reference(field.other)]}  # no "oneOf": see `describe_operation`
        return schema

    def reference(self, schema: type[Schema] | Schema) -> dict[str, Any]:
        """A reference to the schema, which is added to the components if it isn't there yet."""
        resolved: dict[str, Any] = self.resolve_nested_schema(schema)  # type: ignore[no-untyped-call]  # apispec's
        return resolved

    def parameters(self, query: type[Schema]) -> list[dict[str, Any]]:
        parameters: list[dict[str, Any]] = self.schema2parameters(query(), location="query")
        examples = TEXTS["parameters"]
        for parameter in parameters:
            name = parameter["name"]
            parameter["description"] = meaning_of(query.__name__, name)
            parameter["example"] = examples.get(f"{query.__name__}.{name}", examples.get(name))
        return parameters

    def _union(self, schema: OneOfSchema) -> dict[str, Any]:
        kinds = {word: self.reference(kind) for word, kind in schema.type_schemas.items()}
        union = {"oneOf": list(kinds.values())}
        if not schema.type_field:  # the members say which one it is
            return union
        mapping = {word: kind["$ref"] for word, kind in kinds.items()}
        return union | {"discriminator": {"propertyName": schema.type_field, "mapping": mapping}}


class Plugin(MarshmallowPlugin):
    Converter = RequestSchemas

    def __init__(self) -> None:
        """Schemas are named as their classes, without the word Schema."""
        super().__init__(schema_name_resolver=_name_of)

    @property
    def schemas(self) -> RequestSchemas:
        """The converter, once the plugin belongs to a document."""
        assert isinstance(self.converter, RequestSchemas)
        return self.converter


def _name_of(schema: type[Schema] | Schema) -> str:
    kind = schema if isinstance(schema, type) else type(schema)
    return kind.__name__.removesuffix("Schema")
