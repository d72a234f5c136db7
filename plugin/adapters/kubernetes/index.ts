export { connect } from "./connect";
