import { addColleague, colleaguePassword } from '../builders/people/colleagues.ts'
import type { World } from '../support/world.ts'
import type { Tab } from './browser.ts'

/** Signs in as a new colleague with a role, at an address of the console, which is then shown. */
export async function signInAsNew({ page }: Tab, world: World, role: string, path = ''): Promise<string> {
  const { email } = await addColleague(world.admin, role)
  await page.goto(`${world.url}/console${path}`)
  await page.getByLabel('Email address').fill(email)
  await page.getByLabel('Password').fill(colleaguePassword)
  await page.getByRole('button', { name: 'Sign in' }).click()
  // The servers of tests have several stores.
  await page.getByLabel('Store').fill(world.storeId)
  await page.getByLabel('Password').fill(colleaguePassword)
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.getByText(`${email} (${role})`).waitFor()
  return email
}
