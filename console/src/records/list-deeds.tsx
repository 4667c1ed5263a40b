import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import type { Action, Resource } from '../api/document.ts'
import { useRights } from '../api/rights.ts'
import { useActions } from '../parts/actions.ts'
import { Button } from '../parts/button.tsx'
import { words } from '../words/words.ts'
import { ActionWindow } from './action-window.tsx'
import css from './records.module.css'

interface ListDeedsProps {
  readonly resource: Resource
  readonly actions: readonly Action[]
  readonly listPath: string
  /** The filter of the list. */
  readonly filter: string | undefined
}

/** What can be done with a list as a whole, as far as the caller may. */
export function ListDeeds({ resource, actions, listPath, filter }: ListDeedsProps) {
  const rights = useRights()
  const queries = useQueryClient()
  const [action, setAction] = useState<Action>()
  const possible = actions.filter(({ write }) => rights.may(write.right))
  useActions(possible.map((one) => ({ title: one.title, run: () => setAction(one) })))
  if (!possible.length) return null
  const query = action?.takesFilter && filter ? `?${new URLSearchParams({ filter })}` : ''
  return (
    <section className={css.ofList} aria-label={words.list.actions}>
      {possible.map((one) => (
        <Button key={`${one.write.method} ${one.write.path}`} onClick={() => setAction(one)}>
          {one.title}
        </Button>
      ))}
      {action && (
        <ActionWindow
          {...{ action, query }}
          at={listPath}
          name={resource.title}
          onDone={() => queries.invalidateQueries({ queryKey: ['list'] })}
          onClose={() => setAction(undefined)}
        >
          {action.takesFilter && (
            <p>{query && filter ? words.list.onlyMatching(filter) : words.list.onAll}</p>
          )}
        </ActionWindow>
      )}
    </section>
  )
}
