import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { send } from '../api/client.ts'
import { type Item, isItem, pageIn, valueAt } from '../api/objects.ts'
import { termOf } from '../api/terms.ts'
import fields from '../fields/fields.module.css'
import { idsIn } from '../fields/values.ts'
import { words } from '../words/words.ts'

/** The operation that makes a product of each combination of options. */
export const buildPath = '/pcm/products/{product_id}/build'

interface Option {
  readonly id: string
  readonly name: string
}

export interface Variation {
  readonly id: string
  readonly name: string
  readonly options: readonly Option[]
}

/** The variations of a product with all of their options: the product itself shows those that it has children of. */
export async function readVariations(itemPath: string, signal: AbortSignal): Promise<readonly Variation[]> {
  const related = await send({ path: `${itemPath}/relationships/variations`, signal })
  const ids = idsIn(valueAt(related.body, 'data'))
  if (ids.length === 0) return []
  const query = new URLSearchParams({ filter: termOf('in', 'id', ids.join(',')) })
  const { body } = await send({ path: `/pcm/variations?${query}`, signal })
  return pageIn(body).rows.map((row) => ({
    id: String(row.id),
    name: String(valueAt(row, 'attributes.name')),
    options: [valueAt(row, 'meta.options')]
      .flat()
      .filter(isItem)
      .map(({ id, name }) => ({ id: String(id), name: String(name) })),
  }))
}

/** The options that a product has no children of, if its rules leave out single options and nothing else. */
export function leftOut(item: Item): ReadonlySet<string> | undefined {
  const rules = valueAt(item, 'attributes.build_rules')
  if (!isItem(rules)) return new Set()
  const excluded: readonly unknown[] = Array.isArray(rules.exclude) ? rules.exclude : []
  const isSimple =
    rules.default === 'include' &&
    (!Array.isArray(rules.include) || rules.include.length === 0) &&
    excluded.every((one) => Array.isArray(one) && one.length === 1)
  return isSimple ? new Set(excluded.flat().map(String)) : undefined
}

/** Leaves out these options from now on. Returns the version of the product. */
export async function leaveOut(
  itemPath: string,
  item: Item,
  etag: string | undefined,
  left: ReadonlySet<string>,
) {
  const before = leftOut(item)
  if (!before || (before.size === left.size && before.isSubsetOf(left))) return etag
  const build_rules = { default: 'include', exclude: [...left].map((id) => [id]) }
  const written = await send({
    ...{ method: 'PUT', path: itemPath },
    body: { data: { type: 'product', id: item.id, attributes: { build_rules } } },
    headers: etag ? { 'if-match': etag } : {},
  })
  return written.etag
}

interface BuildOptionsProps {
  readonly item: Item
  readonly itemPath: string
  readonly left: ReadonlySet<string>
  onLeave(left: ReadonlySet<string>): void
}

/** Asks which options a product comes in, and says how many children that makes. */
export function BuildOptions({ item, itemPath, left, onLeave }: BuildOptionsProps) {
  const { data } = useQuery({
    queryKey: ['variations', itemPath],
    queryFn: ({ signal }) => readVariations(itemPath, signal),
    staleTime: 0,
  })
  const { build } = words
  if (!data) return <p role="status">{words.loading}</p>
  if (data.length === 0) return <Guide text={build.noVariations} />
  if (!leftOut(item)) return <Guide text={build.ownRules} />
  const counts = data.map(({ options }) => options.filter(({ id }) => !left.has(id)).length)
  return (
    <>
      {data.map(({ id, name, options }) => (
        <fieldset key={id} className={fields.field}>
          <legend className={fields.label}>{name}</legend>
          <div className={fields.amounts}>
            {options.map((option) => (
              <label key={option.id}>
                <input
                  type="checkbox"
                  checked={!left.has(option.id)}
                  onChange={({ target }) =>
                    onLeave(
                      target.checked
                        ? left.difference(new Set([option.id]))
                        : left.union(new Set([option.id])),
                    )
                  }
                />{' '}
                {option.name}
              </label>
            ))}
          </div>
        </fieldset>
      ))}
      <p role="status">{build.children(counts.reduce((product, n) => product * n, 1))}</p>
      <Guide text={build.otherOptions} />
    </>
  )
}

const Guide = ({ text }: { readonly text: string }) => (
  <p className={fields.help}>
    {text}{' '}
    <Link to="/$" params={{ _splat: 'pcm/variations' }} search={{ form: 'new' }}>
      {words.build.ownVariation}
    </Link>
  </p>
)
