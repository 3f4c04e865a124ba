import { routes } from '../../http/endpoint.ts'

export const auditRoutes = routes({})
