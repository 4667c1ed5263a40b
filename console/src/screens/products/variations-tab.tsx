import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { send } from '../../api/client.ts'
import { pageIn, valueAt } from '../../api/objects.ts'
import { faultTexts } from '../../parts/faults.tsx'
import { Notice } from '../../parts/notice.tsx'
import { leftOut, readVariations } from '../../records/build-options.tsx'
import type { TabProps } from '../../records/record-parts.ts'
import { choiceLabel } from '../../words/labels.ts'
import { screenWords, words } from '../../words/words.ts'
import { childAt, combinationsOf, countOf } from './matrix.ts'
import css from './products.module.css'

const rowsMax = 200
const childrenMax = 100

/** The options of a product by each other: which combinations have a child, and why others have none. */
export function VariationsTab({ item, itemPath }: TabProps) {
  const { variations: texts } = screenWords.products
  const { data, error } = useQuery({
    queryKey: ['item', itemPath, 'matrix'],
    queryFn: async ({ signal }) => {
      const [variations, children] = await Promise.all([
        readVariations(itemPath, signal),
        send({ path: `${itemPath}/children?page[limit]=${childrenMax}`, signal }),
      ])
      const { rows } = pageIn(children.body)
      const states = rows.map((row) => [String(row.id), String(valueAt(row, 'attributes.status'))] as const)
      return { variations, states: new Map(states) }
    },
  })
  if (error) return <Notice sign="⚠" title={words.list.failed} about={faultTexts(error).join(' ')} />
  if (!data) return <p role="status">{words.loading}</p>
  const { variations, states } = data
  const last = variations.at(-1)
  if (!last) return <Notice sign="∅" title={texts.none} about={texts.noneAbout} />
  const rows = combinationsOf(variations.slice(0, -1), rowsMax)
  const built = rows.flatMap((row) =>
    last.options.filter(({ id }) => childAt(item, [...row.map(({ id }) => id), id])),
  )
  const left = leftOut(item)
  const hidden = countOf(variations.slice(0, -1)) - rows.length
  return (
    <>
      <p>
        {texts.built(built.length, rows.length * last.options.length)} {hidden > 0 && texts.hidden(hidden)}
      </p>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by the keyboard. */}
      {/* biome-ignore lint/a11y/useSemanticElements: a table is no group of fields. */}
      <div className={css.scroller} role="group" aria-label={texts.tab} tabIndex={0}>
        <table className={css.grid}>
          <thead>
            <tr>
              <th scope="col">
                <bdi>{variations.map(({ name }) => name).join(' × ')}</bdi>
              </th>
              {last.options.map(({ id, name }) => (
                <th key={id} scope="col">
                  <bdi>{name}</bdi>
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {rows.map((row) => (
              <tr key={row.map(({ id }) => id).join(' ')}>
                <th scope="row">
                  <bdi>{row.map(({ name }) => name).join(', ') || texts.oneRow}</bdi>
                </th>
                {last.options.map((option) => {
                  const ids = [...row, option].map(({ id }) => id)
                  const child = childAt(item, ids)
                  if (child === undefined)
                    return (
                      <td key={option.id} className={css.dim}>
                        {ids.some((id) => left?.has(id)) ? texts.leftOut : texts.notBuilt}
                      </td>
                    )
                  const state = states.get(child)
                  return (
                    <td key={option.id}>
                      <Link to="/$" params={{ _splat: `pcm/products/${child}` }}>
                        {state ? choiceLabel(state) : texts.child}
                      </Link>
                    </td>
                  )
                })}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      <p className={css.dim}>{texts.about}</p>
    </>
  )
}
