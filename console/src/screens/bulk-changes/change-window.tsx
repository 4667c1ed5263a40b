import { useState } from 'react'
import type { Body, Write } from '../../api/document.ts'
import { valueAt } from '../../api/objects.ts'
import { resourceOf } from '../../api/resources.ts'
import { fieldTitle } from '../../fields/names.ts'
import { useAttempt } from '../../forms/use-attempt.ts'
import type { ChangeManyProps } from '../../lists/change-many.ts'
import parts from '../../parts/parts.module.css'
import { Window } from '../../parts/window.tsx'
import { screenWords } from '../../words/words.ts'
import css from './bulk-changes.module.css'
import { ChangeLine } from './change-line.tsx'
import { changeableFields, type FieldChange, newChange, requestOf } from './plan.ts'
import { Rehearsed } from './rehearsed.tsx'
import { UnknownOutcome } from './unknown-outcome.tsx'

/** Changes the selected objects of a list, or all that match its filter, after a look at what that would do. */
export function ChangeWindow(props: ChangeManyProps) {
  const create = resourceOf('bulk-changes')?.create
  const { update } = props.fields
  return create && update ? <ChangeForm {...props} write={create} update={update} /> : null
}

interface ChangeFormProps extends ChangeManyProps {
  readonly write: Write
  readonly update: Body
}

function ChangeForm({ write, update, resource, fields, listPath, filter, total, ...props }: ChangeFormProps) {
  const { onStarted, onClose } = props
  const { window: texts } = screenWords.bulkChanges
  const [ids] = useState(props.ids)
  const [isSelected, setSelected] = useState(ids.length > 0)
  const [changes, setChanges] = useState<readonly FieldChange[]>([])
  const attempts = useAttempt(write, write.path, `bulk ${listPath}`)
  const possible = changeableFields(update)
  const chosen = isSelected ? { ids } : { filter }
  const body = requestOf(listPath, chosen, update, changes)
  const onAnswer = (answer: unknown) => onStarted(`${write.path}/${String(valueAt(answer, 'data.id'))}`)
  const set = (path: string, next: readonly FieldChange[]) =>
    setChanges(changes.flatMap((one) => (one.path === path ? next : [one])))
  return (
    <Window isWide title={texts.title(resource.noun[1])} isOpen onClose={onClose}>
      {attempts.unknown ? (
        <UnknownOutcome {...{ attempts, onAnswer }} />
      ) : (
        <Rehearsed
          {...{ attempts, body, onAnswer, onClose }}
          target={{ resource, fields, listPath }}
          submit={texts.run}
        >
          <fieldset className={css.choice}>
            <legend>{texts.which}</legend>
            {ids.length > 0 && (
              <label className={parts.row}>
                <input type="radio" name="which" checked={isSelected} onChange={() => setSelected(true)} />
                {texts.selected(ids.length)}
              </label>
            )}
            <label className={parts.row}>
              <input type="radio" name="which" checked={!isSelected} onChange={() => setSelected(false)} />
              {filter ? texts.matching(total) : texts.whole(total)}
              {filter && <code>{filter}</code>}
            </label>
          </fieldset>
          <h3>{texts.what}</h3>
          {changes.flatMap((change) => {
            const field = possible.find(({ path }) => path === change.path)
            return field ? (
              <ChangeLine
                key={change.path}
                {...{ field, change }}
                near={`${listPath}/-`}
                onChange={(next) => set(change.path, [next])}
                onDrop={() => set(change.path, [])}
              />
            ) : (
              []
            )
          })}
          <select
            className={parts.input}
            aria-label={texts.add}
            value=""
            onChange={({ target }) => {
              const field = possible.find(({ path }) => path === target.value)
              if (field) setChanges([...changes, newChange(field)])
            }}
          >
            <option value="">{texts.choose}</option>
            {possible
              .filter(({ path }) => !changes.some((one) => one.path === path))
              .map((field) => (
                <option key={field.path} value={field.path}>
                  {fieldTitle(field)}
                </option>
              ))}
          </select>
          <p className={css.dim}>{changes.length === 0 ? texts.first : texts.about}</p>
        </Rehearsed>
      )}
    </Window>
  )
}
