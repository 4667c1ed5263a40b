import { isItem } from '../api/objects.ts'
import { labelOf } from '../words/labels.ts'
import { Cell } from './cell.tsx'
import css from './fields.module.css'
import { lastName, names, shortId } from './names.ts'

/** Deeper than this, values are shown as JSON. */
const levelMax = 5

interface StructureProps {
  readonly value: object
  readonly level?: number
}

/** Lists, and values by their names. */
export function Structure({ value, level = 0 }: StructureProps) {
  if (level >= levelMax) return <code className={css.code}>{JSON.stringify(value)}</code>
  if (Array.isArray(value))
    return value.some((one) => typeof one === 'object' && one !== null) ? (
      <ul className={css.parts}>
        {value.map((one, i) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: the values of a list have no other name.
          <li key={i}>
            <Cell value={one} level={level + 1} />
          </li>
        ))}
      </ul>
    ) : (
      <ul className={css.texts}>
        {value.map((one) => (
          <li key={String(one)}>
            <Cell value={one} />
          </li>
        ))}
      </ul>
    )
  return <Members {...{ value, level }} />
}

/** An object by the value that names it, and the others after it. */
function Members({ value, level = 0 }: StructureProps) {
  const entries = Object.entries(value)
  const { type, id } = value as { readonly type?: unknown; readonly id?: unknown }
  if (entries.length === 2 && typeof type === 'string' && typeof id === 'string')
    return (
      <span title={id}>
        {labelOf(type)} {shortId(id)}
      </span>
    )
  const [title] = names.flatMap((name) => entries.filter(([key]) => lastName(key) === name))
  const others = entries.filter(
    ([key, one]) =>
      key !== title?.[0] &&
      !/^(created|updated)_at$/.test(key) &&
      !(title && (key === 'id' || isSaid(one, title[1]))),
  )
  return (
    <>
      {title && <Cell value={title[1]} />}
      {others.length > 0 && (
        <dl className={css.members}>
          {others.map(([key, one]) => (
            <div key={key}>
              <dt>{isName(key) ? labelOf(key) : key}</dt>
              <dd>
                <Cell value={one} level={level + 1} />
              </dd>
            </div>
          ))}
        </dl>
      )}
    </>
  )
}

/** Whether it says nothing that the title does not. */
const isSaid = (value: unknown, title: unknown) =>
  value === '' || value === null || (typeof value === 'string' && value.endsWith(`: ${title}`))

const isName = (key: string) => /^[a-z][a-z_]*$/.test(key)

export const isEmpty = (value: unknown): boolean =>
  (Array.isArray(value) && value.length === 0) || (isItem(value) && Object.keys(value).length === 0)

const uuid = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i

/** Ids by ids, and combinations of ids, say nothing to people. */
export const isForPrograms = (value: unknown): boolean =>
  (Array.isArray(value) &&
    value.every(Array.isArray) &&
    value.flat().every((one) => uuid.test(String(one)))) ||
  (isItem(value) && Object.keys(value).length > 0 && Object.keys(value).every((key) => uuid.test(key)))
