import { namedSchema } from '../../kernel/openapi/named-schemas.ts'
import {
  choice,
  describe,
  field,
  flag,
  group,
  list,
  type ShownValues,
  text,
} from '../../kernel/shape/fields.ts'
import type { View } from '../view/view.ts'

const criterion = choice(
  ['account_ids', 'account_tag_ids', 'customer_ids', 'channels', 'tags', 'schedules'],
  {},
)
const id = text({ required: true, format: 'uuid' })

const ruleNamed = { id, name: text({ required: true }) }

const members = {
  at: text({
    required: true,
    format: 'date-time',
    about: 'The instant at which rules, schedules and sales are evaluated.',
  }),
  catalog_id: id,
  release_id: id,
  pricebook_ids: list(id, {
    required: true,
    maxItems: Infinity,
    about: 'The price books that apply, strongest first.',
  }),
  unpublished_pricebook_ids: list(id, {
    maxItems: Infinity,
    about: 'The price books that apply and are not in the release.',
  }),
  waiting_catalog_rule: group(
    { ...ruleNamed, waits_for_pricebook_ids: list(id, { required: true, maxItems: Infinity }) },
    { about: 'The rule that the shopper gets once its price books are in the release.' },
  ),
  catalog_rule: group(ruleNamed, {
    nullable: true,
    about: 'The rule that chose the catalog; null if none did.',
  }),
  catalog_rules: list(
    group(
      {
        rule_id: id,
        name: text({ required: true }),
        chosen: flag({ required: true }),
        reason: choice(
          [
            'most_criteria_match',
            'default',
            'not_in_force',
            'no_criterion_matches',
            'fewer_criteria_match',
            'created_later',
            'another_rule_matches',
            'waits_for_pricebooks',
          ],
          { required: true },
        ),
        conflicts_with: group(ruleNamed, { about: 'The rule that was chosen because it is older.' }),
        waits_for_pricebook_ids: list(id, { maxItems: Infinity }),
        matched: list(criterion, { required: true }),
        unmatched: list(criterion, { required: true }),
      },
      {},
    ),
    { maxItems: Infinity, about: 'For each rule of the store: why it chose the catalog, or why not.' },
  ),
}

/** For the API document. */
const described = describe(
  group(members, {
    about:
      'Why this catalog, this release and these price books apply. Present if the request has `Prefer: explain`.',
  }),
)
export const explanation = field(namedSchema('Explanation', described), {})

/** Explains the catalog, the release and the price books, which are the same for the whole answer. */
export function explanationOf({
  explains,
  published,
  books,
  unpublishedBooks,
  at,
}: View): ShownValues<typeof members> | undefined {
  if (!explains) return undefined
  const { chosen } = explains
  const waiting = chosen?.waiting()
  return {
    at: at.toISOString(),
    catalog_id: published.catalogId,
    release_id: published.releaseId,
    pricebook_ids: books,
    ...(unpublishedBooks && { unpublished_pricebook_ids: unpublishedBooks }),
    ...(waiting && { waiting_catalog_rule: waiting }),
    ...(chosen && { catalog_rule: chosen.rule ?? null, catalog_rules: chosen.trace() }),
  }
}
