import { Link } from '@tanstack/react-router'
import { changesBetween } from '../../api/changes-between.ts'
import type { Item } from '../../api/objects.ts'
import { Money } from '../../fields/money.tsx'
import { currencyInPath, titleOf } from '../../fields/names.ts'
import { NamedLink } from '../../fields/reference.tsx'
import { ChangedValue } from '../../records/change-table.tsx'
import { screenWords, words } from '../../words/words.ts'
import css from './bulk-changes.module.css'
import { parentOfList } from './parent.ts'
import { adjustmentsOf } from './plan.ts'
import type { Target } from './sample.tsx'

interface WhatProps {
  readonly bulkChange: Item
  readonly target: Target
}

/** Which objects a bulk change has chosen, and what changes in each. */
export function What({ bulkChange, target: { resource, fields, listPath } }: WhatProps) {
  const { page } = screenWords.bulkChanges
  const { shown } = fields
  const { filter, undo_of, patch } = bulkChange
  const parent = parentOfList(listPath)
  const values = changesBetween({}, patch).filter(({ path }) => path !== 'type')
  const adjustments = adjustmentsOf(bulkChange)
  return (
    <>
      <h2>{page.what}</h2>
      <dl className={css.what}>
        <dt>{page.list}</dt>
        <dd>
          <Link
            to="/$"
            params={{ _splat: listPath.slice(1) }}
            search={typeof filter === 'string' ? { filter } : {}}
          >
            {resource.title}
          </Link>
          {parent && (
            <>
              {' · '}
              <NamedLink source={parent} id={parent.id} />
            </>
          )}
        </dd>
        {typeof filter === 'string' && (
          <>
            <dt>{page.filter}</dt>
            <dd>
              <code>{filter}</code>
            </dd>
          </>
        )}
        {typeof undo_of === 'string' && (
          <>
            <dt>{page.undoOf}</dt>
            <dd>
              <Link to="/$" params={{ _splat: `v2/bulk-changes/${undo_of}` }}>
                {page.undoOfOther}
              </Link>
            </dd>
          </>
        )}
        {values.length + adjustments.length > 0 && (
          <>
            <dt>{page.change}</dt>
            <dd>
              <ul>
                {values.map(({ path, after }) => (
                  <li key={path}>
                    {page.setTo(titleOf(path, shown))}{' '}
                    <ChangedValue {...{ path, shown }} item={undefined} value={after} />
                  </li>
                ))}
                {adjustments.map(({ field, times, round_to }) => (
                  <li key={field}>
                    {page.by(titleOf(field, shown), times)}
                    {round_to > 1 && (
                      <>
                        , {page.rounded} <Step {...{ field, round_to }} />
                      </>
                    )}
                  </li>
                ))}
              </ul>
            </dd>
          </>
        )}
      </dl>
    </>
  )
}

/** The step of an amount is an amount. */
function Step({ field, round_to }: { readonly field: string; readonly round_to: number }) {
  const currency = currencyInPath(field)
  return currency ? <Money amount={round_to} currency={currency} /> : words.number(round_to)
}
