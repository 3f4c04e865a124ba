import { routes } from '../../http/endpoint.ts'

export const commentRoutes = routes({})
