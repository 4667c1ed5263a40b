import { useQueryClient } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import type { Item } from '../../api/objects.ts'
import { resourceOf } from '../../api/resources.ts'
import { useRights } from '../../api/rights.ts'
import { Button } from '../../parts/button.tsx'
import { Faults, faultTexts } from '../../parts/faults.tsx'
import type { TabProps } from '../../records/record-parts.ts'
import { screenWords, words } from '../../words/words.ts'
import css from './custom-apis.module.css'
import { useFields } from './design.ts'
import { designOf, type RuleName, setRules, typeOf } from './field-rules.ts'
import { FieldWindow } from './field-window.tsx'

/** The fields of the entries of a custom API, with their rules in words. */
export function DesignTab({ item, itemPath }: TabProps) {
  const { fields: texts } = screenWords.customApis
  const rights = useRights()
  const queries = useQueryClient()
  const fields = useFields(itemPath)
  const [edited, setEdited] = useState<Item | 'new'>()
  const [done, setDone] = useState('')
  const { create, update } = resourceOf('custom-fields') ?? {}
  const mayAdd = create !== undefined && rights.may(create.right)
  const mayChange = update !== undefined && rights.may(update.right)
  if (fields.error) return <Faults texts={faultTexts(fields.error)} />
  if (!fields.data) return <p role="status">{words.loading}</p>
  const write = edited === 'new' ? create : update
  const onDone = async () => {
    setDone(edited === 'new' ? texts.added : texts.changed)
    setEdited(undefined)
    await Promise.all(['item', 'list'].map((key) => queries.invalidateQueries({ queryKey: [key] })))
  }
  return (
    <>
      <p>
        <Link to="/$" params={{ _splat: `v2/extensions/${item.slug}` }}>
          {texts.entries}
        </Link>
      </p>
      {fields.data.length === 0 ? (
        <p>{texts.none}</p>
      ) : (
        <table className={css.table}>
          <thead>
            <tr>
              <th>{texts.slug}</th>
              <th>{texts.name}</th>
              <th>{texts.type}</th>
              <th>{texts.rules}</th>
              {mayChange && <th>{texts.actions}</th>}
            </tr>
          </thead>
          <tbody>
            {fields.data.map((field) => (
              <tr key={String(field.id)}>
                <th scope="row">
                  <Link to="/$" params={{ _splat: `${itemPath.slice(1)}/fields/${field.id}` }}>
                    <code>{String(field.slug)}</code>
                  </Link>
                </th>
                <td data-label={texts.name}>{String(field.name)}</td>
                <td data-label={texts.type}>{typeOf(field)}</td>
                <td data-label={texts.rules}>{rulesText(field)}</td>
                {mayChange && (
                  <td>
                    <Button onClick={() => setEdited(field)} aria-label={texts.edit(String(field.slug))}>
                      {texts.editShort}
                    </Button>
                  </td>
                )}
              </tr>
            ))}
          </tbody>
        </table>
      )}
      {mayAdd ? (
        <Button look="main" onClick={() => setEdited('new')}>
          {texts.add}
        </Button>
      ) : (
        <p className={css.dim}>{rights.role ? texts.mayNot(rights.role) : texts.keyOnly}</p>
      )}
      <p role="status">{done}</p>
      {edited && write && (
        <FieldWindow
          {...{ itemPath, write }}
          field={edited === 'new' ? undefined : edited}
          onDone={onDone}
          onClose={() => setEdited(undefined)}
        />
      )}
    </>
  )
}

/** The rules of a field in a few words: `required, at most 9`. */
function rulesText(field: Item): string {
  const { fields: texts, rules } = screenWords.customApis
  const design = designOf(field)
  const textOf = (rule: RuleName) => {
    if (rule === 'allow_null_values') return texts.required
    if (rule === 'unique' || rule === 'unique_case_insensitivity' || rule === 'immutable')
      return texts.flag[rule]
    return `${rules[rule]}: ${String(design.rules[rule])}`
  }
  const set = setRules(design).filter((rule) => design.rules[rule] !== 'any')
  return (
    [...set.map(textOf), ...(field.use_as_url_slug === true ? [texts.urlSlug] : [])].join(', ') ||
    texts.noRules
  )
}
