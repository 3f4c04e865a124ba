import { routes } from '../http/endpoint.ts'
import * as users from './users/endpoints.ts'

/** Every operation below `/v1`, in reading order. */
export const api = routes({
  // Users
  'GET /user': users.getAuthenticatedUser,
})
