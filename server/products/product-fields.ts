import type { Link } from '../kernel/declare/relationship.ts'
import { named } from '../kernel/openapi/named-schemas.ts'
import {
  choice,
  type Fields,
  field,
  flag,
  group,
  integer,
  type JsonSchema,
  list,
  map,
  reference,
  type Shown,
  shown,
  text,
  type Values,
} from '../kernel/shape/fields.ts'

export const productTypes = ['standard', 'parent', 'child', 'bundle'] as const

const names = { type: 'string', minLength: 1, maxLength: 255 } as const

/** How many characters a text has at most in another language. */
export const localeLengths = { name: 1024, description: 7600 } as const

const locales = {
  type: 'object',
  maxProperties: 1000,
  propertyNames: names,
  additionalProperties: {
    type: 'object',
    required: ['name'],
    properties: {
      name: { ...names, maxLength: localeLengths.name },
      description: { type: 'string', maxLength: localeLengths.description },
    },
  },
} as const

const customInputs = {
  type: 'object',
  maxProperties: 1000,
  propertyNames: names,
  additionalProperties: {
    type: 'object',
    properties: {
      name: names,
      required: { type: 'boolean' },
      validation_rules: {
        type: 'array',
        maxItems: 100,
        items: {
          type: 'object',
          required: ['type'],
          properties: {
            type: { enum: ['string'] },
            options: {
              type: 'object',
              properties: { max_length: { type: 'integer', minimum: 1, maximum: 255 } },
            },
          },
        },
      },
    },
  },
} as const

const combinations = {
  type: 'array',
  maxItems: 10_000,
  items: { type: 'array', minItems: 1, maxItems: 100, items: names },
} as const

const buildRules = {
  type: 'object',
  required: ['default'],
  properties: {
    default: { enum: ['include', 'exclude'] },
    include: combinations,
    exclude: combinations,
  },
} as const

/** Which children a product has: combinations of options, by their ids. */
export interface BuildRules {
  readonly default: 'include' | 'exclude'
  readonly include?: readonly (readonly string[])[]
  readonly exclude?: readonly (readonly string[])[]
}

const sortOrder = integer({ nullable: true, about: 'Where a storefront shows it.' })
const quantity = { min: 1, nullable: true } as const

const optionMembers = {
  id: reference('product', { required: true, about: 'A product, or another bundle.' }),
  type: choice(['product'], { required: true }),
  quantity: integer({ required: true, min: 1, about: 'How many of it are bought together.' }),
  min: integer({ ...quantity, about: 'The fewest a shopper may take; `max` is given too.' }),
  max: integer({ ...quantity, about: 'The most a shopper may take; `min` is given too.' }),
  sort_order: sortOrder,
  default: flag({ about: 'Whether it is chosen where a shopper has chosen nothing.' }),
}

/** The components of a bundle, whose options have these members too. */
export function componentsOf<const M extends Fields>(more: M) {
  const option = group({ ...optionMembers, ...more }, {})
  const component = group(
    {
      name: text({ min: 1, max: 255, about: 'Shown to shoppers. Its key, if it is left out.' }),
      options: list(option, { required: true, maxItems: 1500, about: 'What may be chosen.' }),
      min: integer({ min: 0, nullable: true, about: 'The fewest options a shopper chooses.' }),
      max: integer({ min: 0, nullable: true, about: 'The most options a shopper chooses.' }),
      sort_order: sortOrder,
    },
    {},
  )
  return map(component, { maxKeys: 1500, about: 'Of a bundle: what may be chosen from.' })
}

const componentMap = componentsOf({})
export type Components = NonNullable<Values<{ it: typeof componentMap }>['it']>

const attribute = text({ max: 65_535 })

/** What a merchant tells of a product. */
const told = {
  name: text({ required: true, min: 1, max: 500, about: 'Shown to shoppers.', example: 'Rye loaf' }),
  commodity_type: choice(['physical', 'digital'], { required: true, about: 'Whether it is shipped.' }),
  sku: text({ nullable: true, min: 1, max: 500, about: 'Unique in the store.', example: 'LOAF-RYE' }),
  slug: text({
    nullable: true,
    min: 1,
    max: 500,
    pattern: /^[A-Za-z0-9._{}-]+$/,
    about: 'Its part of a web address; unique in the store.',
    example: 'rye-loaf',
  }),
  status: choice(['draft', 'live'], { default: 'draft', about: 'Whether shoppers may see it.' }),
  description: text({ nullable: true, about: 'Shown to shoppers.' }),
  upc_ean: text({ nullable: true, max: 255, about: 'The number of its bar code.' }),
  mpn: text({ nullable: true, max: 255, about: 'The number its maker gave it.' }),
  external_ref: text({ nullable: true, max: 2048, about: 'Its id in another system.' }),
  tags: list(text({ min: 1, max: 255, pattern: /^[^\s,]+$/ }), {
    maxItems: 20,
    about: 'To find and group it by; kept in small letters.',
  }),
  locales: field<Readonly<Record<string, { name: string; description?: string }>> | null | undefined>(
    locales,
    { nullable: true, about: 'Its name and description by language. An update replaces all of them.' },
  ),
  admin_attributes: map(attribute, { about: 'What only the merchant sees.' }),
  shopper_attributes: map(attribute, { about: 'What shoppers see too.' }),
  custom_inputs: field<object | null | undefined>(customInputs, {
    nullable: true,
    about: 'What shoppers may have written on it. An update replaces all of them.',
  }),
  build_rules: field<BuildRules | null | undefined>(buildRules, {
    nullable: true,
    about: 'Which combinations of options its children are built of.',
  }),
  components: componentMap,
}

const own = { hidden: true, readOnly: true } as const

const variationOption = group(
  {
    id: reference('product-variation-option', { required: true }),
    name: text({ required: true }),
    description: text({ nullable: true }),
    sort_order: integer({}),
  },
  {},
)

const variationMembers = {
  id: reference('product-variation', { required: true }),
  name: text({ required: true }),
  sort_order: integer({}),
}

const parentVariation = { ...variationMembers, options: list(variationOption, { required: true }) }
const childVariation = { ...variationMembers, option: { ...variationOption, options: { required: true } } }

/** What a product shows of its variations. */
export const shownVariations = {
  /** Of a parent: the options that its children were built of. */
  ofParent: group(parentVariation, {}),
  /** Of a child: which option of it the child is. */
  ofChild: group(childVariation, {}),
  /** Clients of the merchant know the options of the variation as null here. */
  ofChildOfMerchant: group(
    { ...childVariation, options: field<null>({ type: 'null' }, { required: true }) },
    {},
  ),
}

/** One of a child's variations, and which option of it the child is. */
export interface ChildVariation {
  readonly id: string
  readonly name: string
  readonly sort_order?: number | undefined
  readonly options: null
  readonly option: ShownOption
}

export type ShownOption = ProductVariation['options'][number]

/** A variation of a product, and the options that its children were built of. */
export type ProductVariation = Shown<typeof parentVariation>

/** The ids of children by those of their options, one variation inside the other in the order they are linked in. */
export interface VariationMatrix {
  readonly [optionId: string]: string | VariationMatrix
}

const below: { anyOf: JsonSchema[] } = { anyOf: [{ type: 'string', format: 'uuid' }] }
const matrix = named('VariationMatrix', { type: 'object', additionalProperties: below })
below.anyOf.push(matrix)

/** The children of a parent, by their options. */
export const variationMatrix = field<VariationMatrix | undefined>(
  { type: 'object', additionalProperties: below },
  { about: 'Of a parent: the ids of its children, by those of their options.' },
)
/** What the server knows of it beside that. Shown in `meta` and `relationships`: see `product-links.ts`. */
const known = {
  product_type: choice(productTypes, { ...own, default: 'standard' }),
  /** Of a child. */
  parent_id: text(own),
  child_variations: field<readonly ChildVariation[] | undefined>({ type: 'array' }, own),
  /** A child that was changed by itself: builds leave it as it is. */
  edited: flag(own),
  /** Of a parent. */
  variations: field<readonly ProductVariation[] | undefined>({ type: 'array' }, own),
  variation_matrix: field<VariationMatrix | undefined>({ type: 'object' }, own),
  /** The slugs of those that it has. */
  custom_relationships: list(text({}), own),
  relationships: shown<{ readonly main_image?: { readonly data: Link } }>({}, { hidden: true }),
}

export const productFields = { ...told, ...known }
export type ProductFields = typeof productFields
export type Product = Values<ProductFields>
