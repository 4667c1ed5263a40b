import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { send } from '../../api/client.ts'
import { pageIn } from '../../api/objects.ts'
import { resourceOf } from '../../api/resources.ts'
import { useRights } from '../../api/rights.ts'
import { termOf } from '../../api/terms.ts'
import { newKey } from '../../forms/use-writer.ts'
import { Button } from '../../parts/button.tsx'
import { Faults, faultTexts } from '../../parts/faults.tsx'
import type { TabProps } from '../../records/record-parts.ts'
import { screenWords, words } from '../../words/words.ts'
import css from './custom-apis.module.css'
import { countEntries } from './design.ts'
import { entryRights, type Granted, grantedBy, isSame, policyBody, roleOf, shopperRoles } from './policies.ts'

const policies = '/v2/permissions/custom-api-role-policies'

/** What shoppers may do with the entries, and what that means for those of others. */
export function PoliciesTab({ item, itemPath }: TabProps) {
  const { policies: texts } = screenWords.customApis
  const api = String(item.id)
  const rights = useRights()
  const queries = useQueryClient()
  const mayRead = rights.may('read permissions')
  const { create, update } = resourceOf('custom-api-role-policies') ?? {}
  const mayWrite = [create, update].every((write) => write !== undefined && rights.may(write.right))
  const query = useQuery({
    queryKey: ['list', policies, api],
    queryFn: async ({ signal }) => {
      const filter = encodeURIComponent(termOf('eq', 'custom_api_id', api))
      const [set, roles, n] = await Promise.all([
        send({ path: `${policies}?page[limit]=100&filter=${filter}`, signal }),
        send({ path: '/v2/permissions/built-in-roles', signal }),
        countEntries(itemPath, '', signal).catch(() => undefined),
      ])
      return { set: pageIn(set.body).rows, roles: pageIn(roles.body).rows, n }
    },
    enabled: mayRead,
  })
  const [ticked, setTicked] = useState<Readonly<Record<string, Granted>>>({})
  const [faults, setFaults] = useState<readonly string[]>([])
  const [done, setDone] = useState('')
  if (!mayRead && rights.isKnown) return <p>{rights.role ? texts.mayNotRead(rights.role) : texts.keyOnly}</p>
  if (query.error) return <Faults texts={faultTexts(query.error)} />
  if (!query.data) return <p role="status">{words.loading}</p>
  const { set, roles, n } = query.data
  const rows = shopperRoles.flatMap((name) => {
    const role = roles.find((one) => one.name === name)
    const policy = set.find((one) => roleOf(one) === role?.id)
    return role
      ? [{ name, id: String(role.id), policy, wanted: ticked[String(role.id)] ?? grantedBy(policy) }]
      : []
  })
  const changed = rows.filter(({ policy, wanted }) => !isSame(grantedBy(policy), wanted))
  const readAgain = () => queries.invalidateQueries({ queryKey: ['list'] })
  const save = async () => {
    setFaults([])
    setDone('')
    try {
      for (const { id, policy, wanted } of changed)
        await send({
          method: policy ? 'PUT' : 'POST',
          path: policy ? `${policies}/${policy.id}` : policies,
          body: policyBody(policy, wanted, api, id),
          headers: { 'idempotency-key': newKey() },
        })
      // Until the new policies are here, the boxes would show the old ones.
      await readAgain()
      setTicked({})
      setDone(texts.saved)
    } catch (error) {
      setFaults(faultTexts(error))
      await readAgain()
    }
  }
  return (
    <>
      <p className={css.warning}>{texts.about}</p>
      <table className={css.table}>
        <thead>
          <tr>
            <th>{texts.role}</th>
            {entryRights.map((right) => (
              <th key={right}>{texts.rights[right]}</th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map(({ name, id, policy, wanted }) => (
            <tr key={id}>
              <th scope="row">
                <strong>{name}</strong>
                <br />
                {texts.who[name]}
                <br />
                <span className={css.dim}>
                  {policy || !isSame(wanted, grantedBy(undefined)) ? meaning(wanted, n) : texts.nothing}
                </span>
              </th>
              {entryRights.map((right) => (
                <td key={right} data-label={texts.rights[right]}>
                  <input
                    type="checkbox"
                    aria-label={texts.can(name, texts.rights[right])}
                    checked={wanted[right]}
                    disabled={!mayWrite}
                    onChange={({ target: { checked } }) => {
                      setDone('')
                      setTicked({ ...ticked, [id]: { ...wanted, [right]: checked } })
                    }}
                  />
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
      <p className={css.dim}>{texts.sellers}</p>
      {mayWrite ? (
        <Button look="main" disabled={changed.length === 0} onClick={() => void save()}>
          {texts.save}
        </Button>
      ) : (
        <p className={css.dim}>{rights.role ? texts.mayNot(rights.role) : texts.keyOnly}</p>
      )}
      <p role="status">{done}</p>
      <Faults texts={faults} />
    </>
  )
}

/** What somebody with these rights can do, in sentences. */
function meaning(wanted: Granted, n: number | undefined): string {
  const { policies: texts } = screenWords.customApis
  const said = [
    ...(wanted.list ? [n === undefined ? texts.seesAll : texts.sees(n)] : []),
    ...(wanted.create ? [texts.adds] : []),
    ...(wanted.update || wanted.delete ? [texts.harms] : []),
  ]
  return said.join(' ') || (wanted.read ? texts.readsOne : texts.closed)
}
