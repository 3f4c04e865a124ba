import { routes } from '../../http/endpoint.ts'

export const teamRoutes = routes({})
