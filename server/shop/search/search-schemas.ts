import { namedSchema, objectOf } from '../../kernel/openapi/named-schemas.ts'
import type { JsonSchema } from '../../kernel/shape/fields.ts'
import { shown } from '../../kernel/shape/shown.ts'
import { files } from '../../store/index.ts'
import { searchLimits } from './read-searches.ts'

const text = (description: string): JsonSchema => ({
  type: 'string',
  maxLength: searchLimits.textMax,
  description,
})

const object = (
  properties: Readonly<Record<string, JsonSchema>>,
  required = Object.keys(properties),
): JsonSchema => ({
  type: 'object',
  properties,
  required,
})

const list = (items: JsonSchema): JsonSchema => ({ type: 'array', items })
const integer: JsonSchema = { type: 'integer' }
const string: JsonSchema = { type: 'string' }
const number: JsonSchema = { type: 'number' }

const search = namedSchema(
  'Search',
  object(
    {
      type: { type: 'string', enum: ['search', 'autocomplete'], default: 'search' },
      q: text('The words to search for. `*` or an empty text finds all products.'),
      filter_by: text('Conditions, such as `brand:=Acme && price.USD.float_price:[10..50]`.'),
      facet_by: text('The fields whose values are counted, separated by commas.'),
      facet_query: text('A field, a colon and a prefix. The facet counts only values with this prefix.'),
      sort_by: text(
        'Up to three fields with `:asc` or `:desc`, separated by commas: `price.USD.float_price:asc`.',
      ),
      max_facet_values: { type: 'integer', minimum: 0, maximum: searchLimits.valuesMax, default: 10 },
      page: { type: 'integer', minimum: 1, maximum: searchLimits.offsetMax + 1 },
      per_page: { type: 'integer', minimum: 0, maximum: searchLimits.perPageMax },
      highlight_full_fields: text('The fields whose whole text is highlighted, separated by commas.'),
    },
    [],
  ),
)

export const searchRequest = object({
  searches: { type: 'array', minItems: 1, maxItems: searchLimits.searchesMax, items: search },
})

const highlightMembers = { matched_tokens: list(string), snippet: string, value: string }
const highlighted = ['matched_tokens', 'snippet']

const anything: JsonSchema = { type: 'object', additionalProperties: true }
const file = objectOf(() => files).schema

/** A product as shown to shoppers under `/catalog`. */
const product = namedSchema(
  'FoundProduct',
  object(
    {
      type: { type: 'string', const: 'product' },
      id: { type: 'string', format: 'uuid' },
      attributes: {
        ...object({ name: string, sku: string, slug: string, description: string, price: anything }, [
          'name',
        ]),
        additionalProperties: true,
        description: 'The attributes of the product, and its prices by currency.',
      },
      meta: anything,
      relationships: anything,
      main_image: file,
    },
    ['type', 'id', 'attributes', 'meta', 'relationships'],
  ),
)

const hit = namedSchema(
  'SearchHit',
  object({
    document: {
      anyOf: [product, namedSchema('Suggestion', object({ id: string, q: string, count: integer }))],
      description: 'A product. For an autocomplete: a name or a SKU, and how many products have it.',
    },
    highlight: {
      type: 'object',
      additionalProperties: true,
      description: 'The highlights, nested like the document.',
    },
    highlights: list(
      namedSchema(
        'SearchHighlight',
        object({ field: string, ...highlightMembers }, ['field', ...highlighted]),
      ),
    ),
  }),
)

const facet = namedSchema(
  'SearchFacet',
  object({
    field_name: string,
    counts: list(object({ value: string, count: integer, highlighted: string })),
    stats: object({ total_values: integer, min: number, max: number, avg: number, sum: number }, [
      'total_values',
    ]),
    sampled: { type: 'boolean' },
  }),
)

const result = namedSchema(
  'SearchResult',
  object({
    type: { type: 'string', enum: ['search', 'autocomplete'] },
    found: integer,
    out_of: integer,
    page: integer,
    request_params: object({ q: string, per_page: integer }),
    search_time_ms: integer,
    search_cutoff: { type: 'boolean' },
    facet_counts: list(facet),
    hits: list(hit),
  }),
)

export const searchResponse = shown.as(
  object(
    {
      results: list(result),
      included: object(
        {
          main_images: list(file),
          files: list(file),
          component_products: list(product),
        },
        [],
      ),
    },
    ['results'],
  ),
)
