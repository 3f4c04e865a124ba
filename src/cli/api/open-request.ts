import { callApi, listApi } from './call-api.ts'

/** A change request, as the API returns it. */
export type OpenRequest = { number: number; subject: string; urls: { app: string } }

/** The longest subject of a change request. */
export const longestSubject = 100

/**
 * Returns the newest open change request of the caller in a space, whose path in the API is `of`,
 * with this subject; opens one if there is none.
 */
export async function openRequest(of: string, subject: string): Promise<OpenRequest> {
  const path = `${of}/change-requests`
  const { id: creator } = (await callApi('GET', '/v1/user')).body as { id: string }
  const open = await listApi<OpenRequest>(path, { creator })
  const found = open.find(each => each.subject === subject)
  if (found) return found

  const flags = { subject: '--change-request' }

  return (await callApi('POST', path, { subject }, flags)).body as OpenRequest
}
