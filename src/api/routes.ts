import { routes } from '../http/endpoint.ts'
import * as users from './users/endpoints.ts'

/** Every operation below `/v1`, in reading order. */
export const api = routes({
  // The service

  // Users and their tokens
  'GET /user': users.getAuthenticatedUser,

  // Organizations

  // Collections

  // Spaces

  // Content of a space

  // Content of a change request

  // Revisions

  // Change requests

  // Git sync
})
