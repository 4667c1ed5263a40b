import { useState } from 'react'
import { Cell } from '../fields/cell.tsx'
import { fieldTitle } from '../fields/names.ts'
import { readText } from '../fields/values.ts'
import { Button } from '../parts/button.tsx'
import parts from '../parts/parts.module.css'
import { Window } from '../parts/window.tsx'
import { timeText } from '../words/times.ts'
import { words } from '../words/words.ts'
import type { Texts } from './body.ts'
import type { Clash, Conflict } from './conflict.ts'
import css from './forms.module.css'

interface ConflictWindowProps {
  readonly conflict: Conflict
  onKeep(chosen: Texts): void
  onClose(): void
}

/** Shows each field that two people have changed, and asks whose value stays. */
export function ConflictWindow({ conflict, onKeep, onClose }: ConflictWindowProps) {
  const { clashes, who, when } = conflict
  const [theirs, setTheirs] = useState<ReadonlySet<string>>(new Set())
  const { title, about, aboutUnknown, field, yours, before, keep } = words.conflict
  const choose = (path: string, isTheirs: boolean) =>
    setTheirs(isTheirs ? theirs.union(new Set([path])) : theirs.difference(new Set([path])))
  const chosen = () =>
    Object.fromEntries(
      clashes.map((one) => [one.field.path, theirs.has(one.field.path) ? one.theirs : one.yours]),
    )
  return (
    <Window title={title} isOpen isWide onClose={onClose}>
      <p>{who && when ? about(who, timeText(when)) : aboutUnknown}</p>
      <div className={css.scroller}>
        <table className={css.clashes}>
          <thead>
            <tr>
              {[field, yours, words.conflict.theirs, before].map((head) => (
                <th key={head} scope="col">
                  {head}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {clashes.map((one) => {
              const { path } = one.field
              return (
                <tr key={path}>
                  <th scope="row">{fieldTitle(one.field)}</th>
                  {[false, true].map((isTheirs) => (
                    <td key={String(isTheirs)}>
                      <label>
                        <input
                          type="radio"
                          name={path}
                          checked={theirs.has(path) === isTheirs}
                          onChange={() => choose(path, isTheirs)}
                        />
                        <TextOf clash={one} text={isTheirs ? one.theirs : one.yours} />
                      </label>
                    </td>
                  ))}
                  <td>
                    <TextOf clash={one} text={one.before} />
                  </td>
                </tr>
              )
            })}
          </tbody>
        </table>
      </div>
      <div className={parts.actions}>
        <Button onClick={onClose}>{words.cancel}</Button>
        <Button look="main" onClick={() => onKeep(chosen())}>
          {keep}
        </Button>
      </div>
    </Window>
  )
}

/** A text of a field as pages show its value. */
const TextOf = ({ clash: { field, currency }, text }: { readonly clash: Clash; readonly text: string }) =>
  text === '' ? words.form.none : <Cell value={readText(field, text)} currency={currency} />
