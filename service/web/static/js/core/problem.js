// What goes wrong between the page and the service.

/** A refusal of the service, or that it can't be reached (`code` is "offline" then). */
export class ApiProblem extends Error {
  constructor(code, status, detail, errors = {}) {
    super(detail);
    this.code = code;
    this.status = status;
    this.detail = detail;
    this.errors = errors;
  }
}
