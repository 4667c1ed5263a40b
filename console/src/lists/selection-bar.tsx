import { useState } from 'react'
import type { Resource } from '../api/document.ts'
import { Button } from '../parts/button.tsx'
import { Faults, faultTexts } from '../parts/faults.tsx'
import { words } from '../words/words.ts'
import type { ListSearch } from './address.ts'
import css from './lists.module.css'
import { selectMax } from './selection.ts'

interface SelectionBarProps {
  readonly resource: Resource
  readonly listPath: string
  readonly search: ListSearch
  readonly total: number | undefined
  readonly selected: ReadonlySet<string>
  /** How many of the selected are not on this page. */
  readonly elsewhere: number
  readonly mayDelete: boolean
  readonly mayChange: boolean
  /** Why the selected cannot be changed at once, if another role could. */
  readonly whyNoChange: string | undefined
  onSelect(ids: readonly string[], isSelected: boolean): void
  onClear(): void
  onFilter(filter: string): void
  onDelete(): void
  onChangeMany(): void
}

/** The most ids that a filter names. */
const namedMax = 100

/** What can be done with the selected objects. */
export function SelectionBar(props: SelectionBarProps) {
  const { resource, listPath, search, total = 0, selected, elsewhere, mayDelete, mayChange } = props
  const [isSelecting, setSelecting] = useState(false)
  const [faults, setFaults] = useState<readonly string[]>([])
  const selectAll = async () => {
    setSelecting(true)
    setFaults([])
    try {
      const { allIds } = await import('./all-ids.ts')
      props.onSelect(await allIds({ listPath, filter: search.filter, sort: search.sort }), true)
    } catch (error) {
      setFaults(faultTexts(error))
    }
    setSelecting(false)
  }
  return (
    <>
      <div className={css.selection}>
        <span role="status">{words.list.selected(selected.size, elsewhere)}</span>
        {total > selected.size && total <= selectMax && (
          <Button disabled={isSelecting} onClick={() => void selectAll()}>
            {words.list.selectAll(total)}
          </Button>
        )}
        {resource.filter.id && elsewhere > 0 && selected.size <= namedMax && (
          <Button onClick={() => props.onFilter(`in(id,${[...selected].join(',')})`)}>
            {words.list.showSelected}
          </Button>
        )}
        <Button onClick={() => navigator.clipboard.writeText([...selected].join('\n'))}>
          {words.list.copyIds}
        </Button>
        {mayChange && <Button onClick={props.onChangeMany}>{words.list.changeMany}</Button>}
        {mayDelete && (
          <Button look="bad" onClick={props.onDelete}>
            {words.bulk.remove}
          </Button>
        )}
        <Button onClick={props.onClear}>{words.list.clear}</Button>
        {props.whyNoChange && <small>{props.whyNoChange}</small>}
        {total > selectMax && <small>{words.list.tooManyToSelect(selectMax)}</small>}
      </div>
      <Faults texts={faults} />
    </>
  )
}
