import { suite } from "./suites";

suite("rest");
