import { useId } from 'react'
import type { FieldFacts } from '../../api/document.ts'
import { useCurrencies } from '../../fields/currencies.ts'
import { Editor } from '../../fields/editor.tsx'
import { MoneyEditor } from '../../fields/money-editor.tsx'
import { fieldTitle } from '../../fields/names.ts'
import { Button } from '../../parts/button.tsx'
import parts from '../../parts/parts.module.css'
import { screenWords, words } from '../../words/words.ts'
import css from './bulk-changes.module.css'
import { type FieldChange, faultOfChange, type Way, waysOf } from './plan.ts'

interface ChangeLineProps {
  readonly field: FieldFacts
  readonly change: FieldChange
  /** The path of an object of the list: what is chosen may belong to the same parent. */
  readonly near: string
  onChange(change: FieldChange): void
  onDrop(): void
}

/** How one field changes in each object. */
export function ChangeLine({ field, change, near, onChange, onDrop }: ChangeLineProps) {
  const id = useId()
  const { plan, window: texts } = screenWords.bulkChanges
  const ways = waysOf(field)
  const title = fieldTitle(field)
  const set = (more: Partial<FieldChange>) => onChange({ ...change, ...more })
  const replaces = field.kind === 'map' || field.kind === 'objects' || field.kind === 'amounts'
  return (
    <section className={css.line} aria-label={title}>
      <div className={css.lineHead}>
        {change.way !== 'set' && <strong>{title}</strong>}
        {ways.length > 1 && (
          <select
            className={parts.input}
            aria-label={`${title}: ${plan.way}`}
            value={change.way}
            onChange={({ target }) => set({ way: target.value as Way, text: '' })}
          >
            {ways.map((way) => (
              <option key={way} value={way}>
                {plan.ways[way]}
              </option>
            ))}
          </select>
        )}
        <Button aria-label={texts.drop(title)} onClick={onDrop}>
          ✕
        </Button>
      </div>
      {change.way === 'set' ? (
        <>
          <Editor
            field={{ ...field, required: false }}
            id={`${id}-value`}
            value={change.text}
            fault={change.text === '' ? undefined : faultOfChange(field, change)}
            ref={null}
            near={near}
            onChange={(text) => set({ text })}
            onBlur={() => {}}
          />
          {field.nullable && <p className={css.dim}>{plan.emptied}</p>}
          {replaces && <p className={css.dim}>{plan.replaces}</p>}
        </>
      ) : (
        <Proportion {...{ id, field, change, set }} />
      )}
    </section>
  )
}

interface ProportionProps {
  readonly id: string
  readonly field: FieldFacts
  readonly change: FieldChange
  set(more: Partial<FieldChange>): void
}

/** A factor, and the step that the result is rounded to. */
function Proportion({ id, field, change, set }: ProportionProps) {
  const { plan } = screenWords.bulkChanges
  const known = useCurrencies()
  const fault = change.text === '' ? undefined : faultOfChange(field, change)
  const step = {
    ...{ id: `${id}-step`, className: parts.input, autoComplete: 'off' },
    'aria-invalid': fault === plan.notStep,
  }
  return (
    <>
      <div className={css.proportion}>
        {field.kind === 'amounts' && (
          <div>
            <label htmlFor={`${id}-currency`}>{plan.currency}</label>
            <select
              id={`${id}-currency`}
              className={parts.input}
              value={change.currency}
              onChange={({ target }) => set({ currency: target.value })}
            >
              <option value="">{words.form.none}</option>
              {[...(known?.keys() ?? [])].map((code) => (
                <option key={code}>{code}</option>
              ))}
            </select>
          </div>
        )}
        <div>
          <label htmlFor={`${id}-factor`}>{change.way === 'percent' ? plan.percent : plan.times}</label>
          <input
            id={`${id}-factor`}
            className={parts.input}
            inputMode="decimal"
            autoComplete="off"
            aria-invalid={fault !== undefined && fault !== plan.notStep}
            aria-describedby={`${id}-fault`}
            value={change.text}
            onChange={({ target }) => set({ text: target.value })}
          />
        </div>
        <div>
          <label htmlFor={`${id}-step`}>{plan.roundTo}</label>
          {field.kind === 'amounts' && change.currency ? (
            <MoneyEditor
              key={change.currency}
              value={change.roundTo}
              currency={change.currency}
              shared={step}
              onChange={(roundTo) => set({ roundTo })}
            />
          ) : (
            <input
              {...step}
              inputMode="numeric"
              value={change.roundTo}
              onChange={({ target }) => set({ roundTo: target.value })}
            />
          )}
        </div>
      </div>
      <p id={`${id}-fault`} className={css.fault} aria-live="polite">
        {fault}
      </p>
    </>
  )
}
