import { suite } from "./suites";

suite("jobs");
