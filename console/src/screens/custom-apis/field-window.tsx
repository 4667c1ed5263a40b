import { type FormEvent, useEffect, useId, useState } from 'react'
import type { Write } from '../../api/document.ts'
import type { Item } from '../../api/objects.ts'
import { useCheck } from '../../forms/use-check.ts'
import { useWriter } from '../../forms/use-writer.ts'
import { Button } from '../../parts/button.tsx'
import { Faults, faultTexts } from '../../parts/faults.tsx'
import parts from '../../parts/parts.module.css'
import { Window } from '../../parts/window.tsx'
import { screenWords, words } from '../../words/words.ts'
import { BrokenEntries } from './broken-entries.tsx'
import css from './custom-apis.module.css'
import {
  type Design,
  designOf,
  fieldBody,
  fieldTypes,
  noDesign,
  type RuleName,
  rulesOf,
} from './field-rules.ts'
import { RuleInput } from './rule-input.tsx'
import { Samples } from './samples-part.tsx'

interface FieldWindowProps {
  readonly itemPath: string
  readonly write: Write
  /** Undefined for a new one. */
  readonly field: Item | undefined
  onDone(): Promise<void>
  onClose(): void
}

/** A field with its rules: what the server says of them, which samples they accept, and which entries would fail. */
export function FieldWindow({ itemPath, write, field, onDone, onClose }: FieldWindowProps) {
  const id = useId()
  const { fields, window: texts } = screenWords.customApis
  const before = field && designOf(field)
  const [design, setDesign] = useState<Design>(before ?? noDesign)
  const [refusal, setRefusal] = useState<readonly string[]>([])
  const [state, setState] = useState<'asking' | 'accepted' | 'sending'>()
  const path = `${itemPath}/fields${field ? `/${field.id}` : ''}`
  const writer = useWriter(write, path)
  const body = fieldBody(design, before)
  const isNamed = design.name.trim() !== '' && design.slug.trim() !== ''
  const check = useCheck(async (signal) => {
    setState('asking')
    try {
      await writer.rehearse(body, undefined, signal)
      setRefusal([])
      setState('accepted')
    } catch (error) {
      if (signal.aborted) return
      setRefusal(faultTexts(error))
      setState(undefined)
    }
  })
  const text = JSON.stringify(body)
  // biome-ignore lint/correctness/useExhaustiveDependencies: the server is asked again when the definition changes.
  useEffect(() => {
    if (isNamed) check.schedule()
    else check.stop()
  }, [text, isNamed])
  const submit = async (event: FormEvent) => {
    event.preventDefault()
    check.stop()
    if (!isNamed) return setRefusal([texts.slugNeeded])
    setState('sending')
    try {
      await writer.write(body, undefined)
      await onDone()
    } catch (error) {
      setRefusal(faultTexts(error))
      setState(undefined)
    }
  }
  const set = (change: Partial<Design>) => setDesign({ ...design, ...change })
  const setRule = (rule: RuleName, value: unknown) => set({ rules: { ...design.rules, [rule]: value } })
  return (
    <Window title={before ? texts.change(before.slug) : texts.add} isOpen isWide onClose={onClose}>
      <form noValidate onSubmit={(event) => void submit(event)}>
        <div className={css.form}>
          {(['name', 'slug'] as const).map((name) => (
            <label key={name}>
              {fields[name]}
              <input
                className={parts.input}
                autoComplete="off"
                value={design[name]}
                onChange={({ target }) => set({ [name]: target.value })}
              />
            </label>
          ))}
          <label htmlFor={`${id}-type`}>
            {fields.type}
            <select
              id={`${id}-type`}
              className={parts.input}
              value={design.type}
              disabled={field !== undefined}
              title={field && texts.fixed}
              onChange={({ target }) =>
                set({
                  type: fieldTypes.find((one) => one === target.value) ?? 'string',
                  rules: noDesign.rules,
                })
              }
            >
              {fieldTypes.map((one) => (
                <option key={one}>{one}</option>
              ))}
            </select>
          </label>
          {rulesOf(design.type).map((rule) => (
            <RuleInput
              key={rule}
              {...{ rule }}
              value={design.rules[rule]}
              isOld={field !== undefined}
              onChange={(value) => setRule(rule, value)}
            />
          ))}
        </div>
        <Samples design={design} />
        <BrokenEntries {...{ itemPath, design, before }} />
        <Faults texts={refusal} />
        <p role="status">
          {state === 'accepted' ? texts.accepted : state === 'asking' ? texts.checking : ''}
        </p>
        <div className={parts.actions}>
          <Button onClick={onClose}>{words.cancel}</Button>
          <Button type="submit" look="main" disabled={state === 'sending'}>
            {texts.save}
          </Button>
        </div>
      </form>
    </Window>
  )
}
