import { Link } from '@tanstack/react-router'
import { Fragment } from 'react'
import { changesBetween } from '../../api/changes-between.ts'
import type { Resource, ResourceFields } from '../../api/document.ts'
import { type Item, isItem, valueAt } from '../../api/objects.ts'
import { rowPath } from '../../api/resources.ts'
import { nameOf, titleOf } from '../../fields/names.ts'
import { NamedLink } from '../../fields/reference.tsx'
import { ChangedValue } from '../../records/change-table.tsx'
import { screenWords, words } from '../../words/words.ts'
import css from './bulk-changes.module.css'
import { countsOf, isTold } from './plan.ts'

/** The list whose objects change. */
export interface Target {
  readonly resource: Resource
  readonly fields: Pick<ResourceFields, 'shown'>
  readonly listPath: string
}

interface SampleProps extends Target {
  /** What the server has answered to the dry run. */
  readonly answer: unknown
  readonly isUndo?: boolean
}

const itemsAt = (item: unknown, path: string): readonly Item[] => {
  const value = valueAt(item, path)
  return Array.isArray(value) ? value.filter(isItem) : []
}

/** What a dry run has found: how many objects, some of them before and after, and which would be refused and why. */
export function Sample({ answer, isUndo = false, ...target }: SampleProps) {
  const { sample } = screenWords.bulkChanges
  const { chosen } = countsOf(valueAt(answer, 'data'))
  const count = (name: string) => Number(valueAt(answer, `sample.${name}`) ?? 0)
  const [tried, changed, refused] = [count('tried'), count('changed'), count('refused')]
  const changes = itemsAt(answer, 'sample.changes')
  const refusals = itemsAt(answer, 'sample.refusals')
  if (chosen === 0)
    return <p role="status">{isUndo ? screenWords.bulkChanges.page.whyNoUndo.nothing : sample.none}</p>
  const same = tried - changed - refused
  const isSince =
    isUndo && refusals.length === refused && refusals.every(({ code }) => code === 'precondition_failed')
  return (
    <section className={css.sample} aria-label={sample.title}>
      <h3>{sample.title}</h3>
      <p role="status">
        {sample.chosen(chosen)} {sample.tried(tried, tried >= chosen)}{' '}
        <strong>{sample.changed(changed)}</strong>
        {same > 0 && `, ${sample.same(same)}`}
        {refused > 0 && (
          <>
            ,{' '}
            <strong className={css.bad}>
              {isSince ? sample.changedSince(refused) : sample.refused(refused)}
            </strong>
          </>
        )}
        .
      </p>
      {refusals.length > 0 && <Refused {...target} refusals={refusals} title={sample.why} />}
      {changes.length > 0 && (
        <>
          {changes.length < changed && <p className={css.dim}>{sample.first(changes.length)}</p>}
          <Changed {...target} changes={changes} />
        </>
      )}
    </section>
  )
}

function Changed({ resource, fields, listPath, changes }: Target & { readonly changes: readonly Item[] }) {
  const { sample } = screenWords.bulkChanges
  const { shown } = fields
  return (
    <table className={css.table}>
      <thead>
        <tr>
          <th scope="col">{sample.object}</th>
          <th scope="col">{words.conflict.field}</th>
          <th scope="col">{words.history.before}</th>
          <th scope="col">{words.history.after}</th>
        </tr>
      </thead>
      <tbody>
        {changes.map(({ id, before, after }) => {
          const item = isItem(after) ? after : {}
          const path = rowPath(resource, listPath, item)
          const name = nameOf(item, shown)
          const fieldsChanged = changesBetween(before, after).filter(isTold)
          return (
            <Fragment key={String(id)}>
              {fieldsChanged.map((one, i) => (
                <tr key={one.path}>
                  <th scope="row" data-again={i > 0 || undefined}>
                    {path ? (
                      <Link to="/$" params={{ _splat: path.slice(1) }} target="_blank">
                        {name}
                      </Link>
                    ) : (
                      name
                    )}
                  </th>
                  <td>{titleOf(one.path, shown)}</td>
                  <td data-label={words.history.before}>
                    <ChangedValue {...{ shown, item }} path={one.path} value={one.before} />
                  </td>
                  <td data-label={words.history.after}>
                    <ChangedValue {...{ shown, item }} path={one.path} value={one.after} />
                  </td>
                </tr>
              ))}
            </Fragment>
          )
        })}
      </tbody>
    </table>
  )
}

interface RefusedProps extends Target {
  readonly title: string
  readonly refusals: readonly Item[]
}

/** The objects that were refused, with the reason of each. */
export function Refused({ resource, listPath, title, refusals }: RefusedProps) {
  return (
    <>
      <h3>{title}</h3>
      <ul className={css.refusals}>
        {refusals.map(({ object_id, code, detail }, i) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: the list does not move, and an object may be in it twice.
          <li key={i}>
            {typeof object_id === 'string' && (
              <>
                <NamedLink source={{ resource, listPath }} id={object_id} />
                {': '}
              </>
            )}
            {String(detail ?? code)}
          </li>
        ))}
      </ul>
    </>
  )
}
